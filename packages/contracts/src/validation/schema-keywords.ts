/** Where schemas are found inside a schema (JSON Schema 2020-12 and the older names that are still met). */

/** Keywords whose value is one schema. */
export const ONE_SCHEMA: ReadonlySet<string> = new Set([
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'items',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
]);

/** Keywords whose value is a list of schemas. `items` may be one in draft-07. */
export const SCHEMA_LIST: ReadonlySet<string> = new Set(['prefixItems', 'allOf', 'anyOf', 'oneOf', 'items']);

/** Keywords whose value maps names to schemas. */
export const SCHEMA_MAP: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** Keywords that constrain a value by themselves. */
const ASSERTIONS: ReadonlySet<string> = new Set([
  'type',
  'const',
  'enum',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minContains',
  'maxContains',
  'minProperties',
  'maxProperties',
  'required',
  'dependentRequired',
  '$ref',
  '$dynamicRef',
]);

/** Annotations that tell a reader what a value means: changing one changes the meaning of records that are stored already. */
export const MEANINGFUL_ANNOTATIONS: readonly string[] = [
  'default',
  'x-absent',
  'format',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
];

/** Annotations for people and tools, which carry no meaning for a record. */
export const PLAIN_ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'examples',
  '$comment',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$schema',
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$recursiveAnchor',
  '$vocabulary',
  'discriminator',
]);

/** Whether the keyword is one that is modelled here; what is not can mean anything. */
export function isKnownKeyword(keyword: string): boolean {
  return (
    ONE_SCHEMA.has(keyword) ||
    SCHEMA_LIST.has(keyword) ||
    SCHEMA_MAP.has(keyword) ||
    ASSERTIONS.has(keyword) ||
    MEANINGFUL_ANNOTATIONS.includes(keyword) ||
    PLAIN_ANNOTATIONS.has(keyword)
  );
}
