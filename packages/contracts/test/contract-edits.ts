/** Contracts within the dialect, and edits of them whose verdict is known beforehand. */
import fc from 'fast-check';
import { mapSubschemas } from '../src/validation/map-subschemas.ts';
import { isSchemaObject, type JsonSchema, type SchemaObject } from '../src/validation/plain-schema.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd');
const leaves: readonly fc.Arbitrary<SchemaObject>[] = [
  fc.record({ type: fc.constant('string'), minLength: fc.nat(2), maxLength: fc.integer({ min: 2, max: 4 }) }),
  fc.record({ type: fc.constant('string'), pattern: fc.constantFrom('^[a-z]+$', '^\\d{4}-\\d{2}$', '@') }),
  fc.record({ type: fc.constant('string'), format: fc.constantFrom('date', 'uuid', 'email') }),
  fc.record({ type: fc.constant('integer'), minimum: fc.nat(3) }),
  fc.record({ type: fc.constant('number'), maximum: fc.nat(3) }),
  fc.constant({ type: 'boolean' }),
  fc.record({ const: fc.constantFrom('x', 'y', 1) }),
  fc.record({ enum: fc.uniqueArray(fc.constantFrom('x', 'y', 'z', 1, 2), { minLength: 2, maxLength: 3 }) }),
  fc.constant({ type: ['string', 'null'] }),
];

/** @param leaf what the innermost members are. */
const objectOf = (leaf: fc.Arbitrary<SchemaObject>) =>
  fc.letrec<{ schema: SchemaObject; object: SchemaObject }>((tie) => ({
    object: fc
      .tuple(
        fc.dictionary(name, tie('schema'), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
        fc.subarray(['a', 'b', 'c', 'd']),
        fc.boolean(),
      )
      .map(([properties, required, closed]) => ({
        type: 'object',
        properties,
        required: required.filter((member) => Object.hasOwn(properties, member)),
        ...(closed ? { additionalProperties: false } : {}),
      })),
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      tie('object'),
      fc.record({ type: fc.constant('array'), items: tie('schema') }),
      fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }),
      fc
        .tuple(fc.constantFrom('anyOf', 'oneOf'), tie('object'), tie('object'))
        .map(([keyword, ...branches]) => ({ [keyword]: branches.map((branch, index) => told(branch, index)) })),
      tie('object').map((object) => ({ anyOf: [object, { type: 'null' }] })),
      tie('object').map((object) => ({ oneOf: [{ type: 'string' }, object] })),
      fc.tuple(tie('object'), tie('object')).map(([one, other]) => ({
        allOf: [open(one), { ...open(other), properties: prefixed(other), required: [] }],
      })),
    ),
  })).object;

function told(branch: SchemaObject, index: number): SchemaObject {
  const { properties, required } = branch as { properties: object; required: readonly string[] };
  return { ...branch, properties: { ...properties, kind: { const: `k${index}` } }, required: ['kind', ...required] };
}

function open(schema: SchemaObject): SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== 'additionalProperties'));
}

function prefixed(schema: SchemaObject): SchemaObject {
  return Object.fromEntries(
    Object.entries(schema['properties'] as SchemaObject).map(([member, inner]) => [`p${member}`, inner]),
  );
}

/** A message: an object with members of all kinds, and one recursive definition that need not have itself as a member. */
export const contract: fc.Arbitrary<SchemaObject> = fc
  .tuple(objectOf(fc.oneof(...leaves, fc.constant({ $ref: '#/$defs/shared' }))), objectOf(fc.oneof(...leaves)))
  .map(([root, shared]) => ({
    ...withMember(root, 'shared', { $ref: '#/$defs/shared' }),
    $defs: { shared: withMember(shared, 'again', { $ref: '#/$defs/shared' }) },
  }));

function withMember(object: SchemaObject, member: string, schema: SchemaObject): SchemaObject {
  return { ...object, properties: { ...(object['properties'] as object), [member]: schema } };
}

/** Changes one schema object; null where it has nothing to change. */
type Edit = (schema: SchemaObject) => SchemaObject | null;

const when =
  (keyword: string, change: (schema: SchemaObject, value: unknown) => SchemaObject | null): Edit =>
  (schema) =>
    keyword in schema ? change(schema, schema[keyword]) : null;
const without = (schema: SchemaObject, keyword: string): SchemaObject =>
  Object.fromEntries(Object.entries(schema).filter(([other]) => other !== keyword));
const backwards = (value: unknown): unknown =>
  Array.isArray(value) ? [...(value as readonly unknown[])].reverse() : value;
const plus = (schema: SchemaObject, keyword: string, value: unknown): SchemaObject => ({ ...schema, [keyword]: value });
const membersOf = (schema: SchemaObject): readonly (readonly [string, unknown])[] =>
  Object.entries((schema['properties'] as object | undefined) ?? {});
const withMembers = (schema: SchemaObject, members: readonly (readonly [string, unknown])[]): SchemaObject | null =>
  plus(schema, 'properties', Object.fromEntries(members));
const optional = { type: 'string', 'x-absent': { means: 'nobody said' } };

/** Edits that keep the version. */
export const KEEPING: Readonly<Record<string, Edit>> = {
  title: (schema) => plus(schema, 'title', 'Something'),
  examples: (schema) => plus(schema, 'examples', [1]),
  deprecated: (schema) => plus(schema, 'deprecated', true),
  'order of a list': when('enum', (schema, value) => plus(schema, 'enum', backwards(value))),
  'order of required': when('required', (schema, value) => plus(schema, 'required', backwards(value))),
  'order of anyOf': when('anyOf', (schema, value) => plus(schema, 'anyOf', backwards(value))),
  'order of oneOf': when('oneOf', (schema, value) => plus(schema, 'oneOf', backwards(value))),
  'order of members': when('properties', (schema) => withMembers(schema, [...membersOf(schema)].reverse())),
  'const as enum': when('const', (schema, value) => plus(without(schema, 'const'), 'enum', [value])),
  'enum as consts': when('enum', (schema, values) =>
    plus(
      without(schema, 'enum'),
      'anyOf',
      (values as readonly unknown[]).map((value) => ({ const: value })),
    ),
  ),
  'types as a union': when('type', (_schema, type) =>
    Array.isArray(type) ? { anyOf: (type as readonly string[]).map((one) => ({ type: one })) } : null,
  ),
  'bounds of integers': when('minimum', (schema, minimum) =>
    schema['type'] === 'integer' ? plus(without(schema, 'minimum'), 'exclusiveMinimum', Number(minimum) - 1) : null,
  ),
  'one part of an allOf': (schema) => ('type' in schema && !('$defs' in schema) ? { allOf: [schema] } : null),
  'an optional member': when('properties', (schema) =>
    withMembers(schema, [...membersOf(schema), ['added', optional]]),
  ),
  'an optional object': when('properties', (schema) =>
    withMembers(schema, [
      ...membersOf(schema),
      ['added', { type: 'object', properties: { a: optional }, required: ['a'] }],
    ]),
  ),
};

/** Edits that need a new version. */
export const BREAKING: Readonly<Record<string, Edit>> = {
  'a member removed': when('properties', (schema) => {
    const [[first] = ['']] = membersOf(schema);
    const left = membersOf(schema).slice(1);
    const required = (schema['required'] as readonly string[] | undefined)?.filter((member) => member !== first);
    return first === '' ? null : withMembers(required === undefined ? schema : { ...schema, required }, left);
  }),
  'a member renamed': when('properties', (schema) => {
    const [first, ...others] = membersOf(schema);
    const required = (schema['required'] as readonly string[] | undefined)?.map((member) =>
      member === first?.[0] ? 'renamed' : member,
    );
    return first === undefined
      ? null
      : withMembers(required === undefined ? schema : { ...schema, required }, [['renamed', first[1]], ...others]);
  }),
  'a required member': when('properties', (schema) =>
    withMembers({ ...schema, required: [...((schema['required'] as readonly string[] | undefined) ?? []), 'added'] }, [
      ...membersOf(schema),
      ['added', { type: 'string' }],
    ]),
  ),
  'a listed value more': when('enum', (schema, value) => plus(schema, 'enum', [...(value as readonly unknown[]), 'w'])),
  'a listed value less': when('enum', (schema, value) => plus(schema, 'enum', (value as readonly unknown[]).slice(1))),
  'another constant': (schema) => ('const' in schema ? plus(schema, 'const', 'other') : null),
  'a higher minimum': when('minimum', (schema, value) => plus(schema, 'minimum', Number(value) + 1)),
  'a lower maximum': when('maximum', (schema, value) => plus(schema, 'maximum', Number(value) - 1)),
  'a longer text': when('maxLength', (schema, value) => plus(schema, 'maxLength', Number(value) + 1)),
  'no pattern': when('pattern', (schema) => without(schema, 'pattern')),
  'no format': when('format', (schema) => without(schema, 'format')),
  'a default': when('type', (schema, type) => (type === 'boolean' ? plus(schema, 'default', false) : null)),
  'integer as number': when('type', (schema, type) => (type === 'integer' ? plus(schema, 'type', 'number') : null)),
  'null as well': when('type', (schema, type) =>
    type === 'string' || type === 'number' ? plus(schema, 'type', [type, 'null']) : null,
  ),
  'fewer elements': when('items', (schema) => plus(schema, 'maxItems', 2)),
  'an alternative less': when('oneOf', (schema, value) =>
    plus(schema, 'oneOf', (value as readonly unknown[]).slice(1)),
  ),
};

/** The contract with the edit at one of the places where it can be made; null where there is none. */
export function editedAt(root: SchemaObject, edit: Edit, place: number): SchemaObject | null {
  const places: SchemaObject[] = [];
  const find = (schema: JsonSchema): JsonSchema => {
    if (!isSchemaObject(schema)) return schema;
    if (edit(schema) !== null) places.push(schema);
    return mapSubschemas(schema, find);
  };
  find(root);
  const chosen = places[place % Math.max(places.length, 1)];
  if (chosen === undefined) return null;
  const change = (schema: JsonSchema): JsonSchema => {
    if (!isSchemaObject(schema)) return schema;
    if (schema === chosen) return edit(schema) ?? schema;
    return mapSubschemas(schema, change);
  };
  const edited = change(root);
  return isSchemaObject(edited) ? edited : null;
}
