import { canonicalText } from '../compat/json-value.ts';
import { partsOf } from '../compat/load-schema.ts';
import { mapSubschemas } from '../validation/map-subschemas.ts';
import { type JsonSchema, plainSchema, type SchemaObject } from '../validation/plain-schema.ts';
import { withoutKeywords } from '../validation/without-keywords.ts';

/** The identity of a frozen schema; also the `dataschema` of its CloudEvents. The part after `urn:` may hold no dots, so it cannot be the type. */
export function schemaId(type: string, version: number): string {
  return `urn:waybill:${type}:${version}`;
}

/**
 * The schema of one version in the form that is frozen: with its identity, its dialect, keys in order, and every reference a pointer into
 * the document. TypeBox writes references to names of its own (`$id` inside the schema), which would mean something else under our `$id`.
 */
export function canonicalSchema(type: string, version: number, schema: object): SchemaObject {
  const plain = plainSchema(schema);
  const places = new Map<string, string>();
  for (const { schema: part, path } of partsOf(plain))
    if (typeof part['$id'] === 'string' && !places.has(part['$id'])) places.set(part['$id'], `#${path}`);
  const rest = withoutKeywords(pointed(plain, places), '$id', '$schema');
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: schemaId(type, version), ...rest };
}

function pointed(schema: SchemaObject, places: ReadonlyMap<string, string>): SchemaObject;
function pointed(schema: JsonSchema, places: ReadonlyMap<string, string>): JsonSchema;
function pointed(schema: JsonSchema, places: ReadonlyMap<string, string>): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const rest = withoutKeywords(
    mapSubschemas(schema, (inner) => pointed(inner, places)),
    '$id',
  );
  const reference = rest['$ref'];
  return typeof reference === 'string' ? { ...rest, $ref: places.get(reference) ?? reference } : rest;
}

/** The bytes of a frozen schema: keys sorted, two spaces, a line end. */
export function schemaText(schema: JsonSchema): string {
  return `${JSON.stringify(JSON.parse(canonicalText(schema)), null, 2)}\n`;
}

/** Where a schema stands, from its folder: `messages/<type>/<version>.json`. */
export function schemaFile(type: string, version: number): string {
  return `messages/${type}/${version}.json`;
}
