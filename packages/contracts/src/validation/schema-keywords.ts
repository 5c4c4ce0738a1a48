/** Where schemas are found inside a schema (JSON Schema 2020-12 and the older names that are still met). */

/** Keywords whose value is one schema. */
export const ONE_SCHEMA: ReadonlySet<string> = new Set([
  'additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'additionalItems', 'unevaluatedItems', 'contains', 'not', 'if', 'then', 'else', 'contentSchema',
]);

/** Keywords whose value is a list of schemas. `items` may be one in draft-07. */
export const SCHEMA_LIST: ReadonlySet<string> = new Set(['prefixItems', 'allOf', 'anyOf', 'oneOf', 'items']);

/** Keywords whose value maps names to schemas. */
export const SCHEMA_MAP: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);
