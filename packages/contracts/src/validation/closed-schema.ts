import { isSchema, mapSubschemas } from './map-subschemas.ts';
import { isSchemaObject, type JsonSchema, type SchemaObject } from './plain-schema.ts';
import { withoutKeywords } from './without-keywords.ts';

/**
 * What a writer may emit: the schema with declared members only.
 *
 * A node that applies other schemas to the same object (`allOf`, `then`, `$ref` beside `properties`) is closed once, around all of
 * them, with `unevaluatedProperties`; the parts stay open, or each part would forbid the members of the others. A definition that is
 * used as such a part therefore exists twice: closed under its own name, and open at the top under its name with a suffix.
 * A schema given for further members (a map) is a declaration and stays.
 */
export function closedSchema(schema: JsonSchema): JsonSchema {
  return sealed(schema);
}

/** Suffix of the definitions that serve as parts. `!` needs no escape in a JSON pointer, and no TypeBox name holds it. */
const PART = '!part';

/** Keywords whose schemas apply to the same object beside others. */
const PART_KEYWORDS: ReadonlySet<string> = new Set(['allOf', 'then', 'else', 'dependentSchemas', 'dependencies']);
const UNION_KEYWORDS: ReadonlySet<string> = new Set(['anyOf', 'oneOf']);
/** Conditions and negations ask about what is there; closing them would change the question. */
const CONDITIONS: ReadonlySet<string> = new Set(['not', 'if', 'contains', 'propertyNames']);
const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions']);
const OBJECT_KEYWORDS = [
  'properties',
  'patternProperties',
  'required',
  'additionalProperties',
  'minProperties',
  'maxProperties',
  'dependentRequired',
];

/** Closes the node and everything below it. */
function sealed(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const own = describesObject(schema);
  const composed = [...PART_KEYWORDS].some((keyword) => keyword in schema);
  const isUnion = [...UNION_KEYWORDS].some((keyword) => keyword in schema);
  if (isUnion && !own && !composed && !('$ref' in schema)) return inside(schema, sealed);
  if ('$ref' in schema && !own && !composed && !isUnion) return inside(schema, part);
  const inner = part(schema);
  if (composed || (own && (isUnion || '$ref' in schema)))
    return { ...inner, ...closing(inner, 'unevaluatedProperties') };
  return own ? { ...inner, ...closing(inner, 'additionalProperties') } : inner;
}

/** Closes everything below the node, but not the node itself. */
function part(schema: SchemaObject): SchemaObject;
function part(schema: JsonSchema): JsonSchema;
function part(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const inner = inside(schema, part);
  return typeof inner['$ref'] === 'string' ? { ...inner, $ref: partReference(inner['$ref']) } : inner;
}

function inside(schema: SchemaObject, branch: (inner: JsonSchema) => JsonSchema): SchemaObject {
  const closed = mapSubschemas(schema, (inner, keyword) => {
    if (CONDITIONS.has(keyword)) return inner;
    if (UNION_KEYWORDS.has(keyword)) return branch(inner);
    return PART_KEYWORDS.has(keyword) ? part(inner) : sealed(inner);
  });
  return withPartDefinitions(schema, closed);
}

function withPartDefinitions(schema: SchemaObject, closed: SchemaObject): SchemaObject {
  const doubled = [...DEFINITIONS].flatMap((keyword) => {
    const definitions = schema[keyword];
    if (!isSchemaObject(definitions)) return [];
    const parts = Object.entries(definitions).map(([name, inner]): readonly [string, unknown] => [
      name + PART,
      isSchema(inner) ? part(withoutIdentity(inner)) : inner,
    ]);
    return [[keyword, { ...(closed[keyword] as object), ...Object.fromEntries<unknown>(parts) }] as const];
  });
  return doubled.length === 0 ? closed : { ...closed, ...Object.fromEntries(doubled) };
}

/** A copy must not claim the identity of the original. */
function withoutIdentity(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  return withoutKeywords(schema, '$id', '$anchor');
}

function partReference(reference: string): string {
  return /^#\/(\$defs|definitions)\/[^/]+$/.test(reference) ? reference + PART : reference;
}

function describesObject(schema: SchemaObject): boolean {
  const types = [schema['type']].flat();
  return (
    types.includes('object') || (schema['type'] === undefined && OBJECT_KEYWORDS.some((keyword) => keyword in schema))
  );
}

function closing(schema: SchemaObject, keyword: 'additionalProperties' | 'unevaluatedProperties'): SchemaObject {
  const declared = schema['additionalProperties'] ?? schema['unevaluatedProperties'];
  return isSchemaObject(declared) ? {} : { [keyword]: false };
}
