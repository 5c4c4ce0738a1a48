import { mapSubschemas } from '../validation/map-subschemas.ts';
import type { JsonSchema } from '../validation/plain-schema.ts';
import { withoutKeywords } from '../validation/without-keywords.ts';
import { type Dialect, dialectOf } from './schema-document.ts';

/** Keywords of later dialects, which say nothing in an earlier one. */
const LATER: Readonly<Record<Dialect, readonly string[]>> = {
  'draft-07': [
    'prefixItems',
    'unevaluatedItems',
    'unevaluatedProperties',
    'dependentRequired',
    'dependentSchemas',
    'minContains',
    'maxContains',
    '$recursiveRef',
    '$dynamicRef',
  ],
  '2019-09': ['prefixItems', '$dynamicRef'],
  '2020-12': [],
};

/** The schema without what its declared dialect does not know. */
export function inOwnDialect(schema: JsonSchema): JsonSchema {
  const foreign = LATER[dialectOf(schema)];
  return foreign.length === 0 ? schema : without(schema, foreign);
}

function without(schema: JsonSchema, keywords: readonly string[]): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  return mapSubschemas(withoutKeywords(schema, ...keywords), (part) => without(part, keywords));
}
