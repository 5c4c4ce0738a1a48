import fc from 'fast-check';
import { namedSchemas } from '../compat/logic/translate.ts';
import { type SchemaDocument, schemaDocument } from '../compat/schema-document.ts';
import type { AnyMessage, PayloadAt } from '../definition/message.ts';
import { canonicalSchema } from '../freeze/canonical-schema.ts';
import { isSchema } from '../validation/map-subschemas.ts';
import type { JsonSchema, SchemaObject } from '../validation/plain-schema.ts';
import { isWritable } from './step-problems.ts';

/** Recursive definitions stop unfolding here. */
const MAX_DEPTH = 5;

/**
 * Payloads that a writer may emit in a version, for property tests: `fc.property(payloadsOf(OrderPlaced, 1), (order) => ...)`.
 * They are generated from the schema and validated with it, so a keyword that the generator does not know costs tries, not correctness.
 */
export function payloadsOf<M extends AnyMessage, V extends keyof M['versions'] & number>(
  message: M,
  version: V,
): fc.Arbitrary<PayloadAt<M['versions'], V>> {
  const versions: Readonly<Record<string, object>> = message.versions;
  const schema = canonicalSchema(message.type, version, versions[String(version)] ?? {});
  // Validated by the filter against the very schema that the type is inferred from.
  return arbitrary(schema, schemaDocument(schema), 0).filter((record) =>
    isWritable(message, version, record),
  ) as fc.Arbitrary<PayloadAt<M['versions'], V>>;
}

function arbitrary(schema: JsonSchema, document: SchemaDocument, depth: number): fc.Arbitrary<unknown> {
  if (typeof schema === 'boolean') return fc.jsonValue({ maxDepth: 2 });
  const { $ref: reference, enum: values, anyOf, oneOf, type } = schema;
  if (typeof reference === 'string') return arbitrary(document.resolve(reference), document, depth + 1);
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(values)) return fc.constantFrom(...(values as readonly unknown[]));
  const branches = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.filter(isSchema) : []));
  if (branches.length > 0) return fc.oneof(...branches.map((branch) => arbitrary(branch, document, depth + 1)));
  const types = [type].flat().map(String);
  return fc.oneof(...types.map((name) => TYPES[name]?.(schema, document, depth) ?? fc.jsonValue({ maxDepth: 2 })));
}

type Generator = (schema: SchemaObject, document: SchemaDocument, depth: number) => fc.Arbitrary<unknown>;

const TYPES: Readonly<Record<string, Generator>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: (schema) =>
    fc
      .integer({
        min: Math.ceil(limit(schema, 'minimum', -1_000_000)),
        max: Math.floor(limit(schema, 'maximum', 1_000_000)),
      })
      .map((value) => multiple(schema, value)),
  number: (schema) =>
    fc.double({ min: limit(schema, 'minimum', -1e9), max: limit(schema, 'maximum', 1e9), noNaN: true }),
  string: text,
  array: (schema, document, depth) => {
    const items = isSchema(schema['items']) ? schema['items'] : true;
    const minLength = limit(schema, 'minItems', 0);
    return fc.array(arbitrary(items, document, depth + 1), {
      minLength,
      maxLength: Math.max(minLength, Math.min(limit(schema, 'maxItems', 4), depth > MAX_DEPTH ? 0 : 4)),
    });
  },
  object: (schema, document, depth) => {
    const required = new Set(Array.isArray(schema['required']) ? schema['required'].map(String) : []);
    const members = namedSchemas(schema['properties']).filter(([name]) => depth <= MAX_DEPTH || required.has(name));
    const model = Object.fromEntries(members.map(([name, member]) => [name, arbitrary(member, document, depth + 1)]));
    return fc.record(model, {
      requiredKeys: members.map(([name]) => name).filter((name) => required.has(name)),
      noNullPrototype: true,
    });
  },
};

const FORMATS: Readonly<Record<string, () => fc.Arbitrary<string>>> = {
  'date-time': () => instant(),
  date: () => instant().map((iso) => iso.slice(0, 10)),
  time: () => instant().map((iso) => iso.slice(11)),
  uuid: () => fc.uuid(),
  email: () => fc.emailAddress(),
  hostname: () => fc.domain(),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
  uri: () => fc.webUrl(),
  'uri-reference': () => fc.webPath(),
  duration: () => fc.integer({ min: 0, max: 999 }).map((days) => `P${days}D`),
};

function instant(): fc.Arbitrary<string> {
  return fc
    .date({ min: new Date('1970-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString());
}

function text(schema: SchemaObject): fc.Arbitrary<string> {
  const { format, pattern } = schema;
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern, 'u'));
  const ofFormat = typeof format === 'string' ? FORMATS[format] : undefined;
  if (ofFormat !== undefined) return ofFormat();
  const minLength = limit(schema, 'minLength', 0);
  return fc.string({
    minLength,
    maxLength: Math.max(minLength, Math.min(limit(schema, 'maxLength', 30), minLength + 30)),
    unit: 'grapheme',
  });
}

function limit(schema: SchemaObject, keyword: string, otherwise: number): number {
  const value = schema[keyword];
  return typeof value === 'number' ? value : otherwise;
}

function multiple(schema: SchemaObject, value: number): number {
  const unit = limit(schema, 'multipleOf', 1);
  return Math.round(value / unit) * unit;
}
