import { canonicalText } from '../compat/json-value.ts';
import { namedSchemas } from '../compat/logic/translate.ts';
import { type SchemaDocument, schemaDocument } from '../compat/schema-document.ts';
import { isSchema } from '../validation/map-subschemas.ts';
import type { JsonSchema } from '../validation/plain-schema.ts';

/** Every member of a record by its path (`/buyer/name`, elements as `*`), with a text that stands for its type. */
export function memberTypes(schema: JsonSchema): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  collect(schema, '', schemaDocument(schema), types, []);
  return types;
}

/** Recursive definitions repeat their members at every depth; once is enough. */
function collect(
  schema: JsonSchema,
  path: string,
  document: SchemaDocument,
  types: Map<string, string>,
  ancestors: readonly JsonSchema[],
): void {
  if (typeof schema === 'boolean' || ancestors.includes(schema)) return;
  const inside = [...ancestors, schema];
  const reference = schema['$ref'];
  if (typeof reference === 'string') collect(document.resolve(reference), path, document, types, inside);
  for (const keyword of ['allOf', 'anyOf', 'oneOf'])
    if (Array.isArray(schema[keyword]))
      for (const part of schema[keyword].filter(isSchema)) collect(part, path, document, types, inside);
  if (isSchema(schema['items'])) collect(schema['items'], `${path}/*`, document, types, inside);
  for (const [name, member] of namedSchemas(schema['properties'])) {
    types.set(`${path}/${name}`, typeText(member));
    collect(member, `${path}/${name}`, document, types, inside);
  }
}

function typeText(schema: JsonSchema): string {
  return typeof schema === 'boolean'
    ? String(schema)
    : canonicalText(schema['type'] ?? schema['const'] ?? schema['$ref'] ?? null);
}
