import { canonicalText } from '../compat/json-value.ts';
import { samePlace } from '../compat/load-schema.ts';
import { namedSchemas } from '../compat/logic/translate.ts';
import { schemaDocument } from '../compat/schema-document.ts';
import { isSchema } from '../validation/map-subschemas.ts';
import type { JsonSchema } from '../validation/plain-schema.ts';

/** Every member of a record by its path (`/buyer/name`, elements as `*`), with a text that stands for its type. */
export function memberTypes(schema: JsonSchema): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  const document = schemaDocument(schema);
  const collect = (part: JsonSchema, path: string, ancestors: readonly JsonSchema[]): void => {
    // Recursive definitions repeat their members at every depth; once is enough.
    if (typeof part === 'boolean' || ancestors.includes(part)) return;
    const inside = [...ancestors, part];
    for (const same of samePlace(part, document)) collect(same, path, inside);
    if (isSchema(part['items'])) collect(part['items'], `${path}/*`, inside);
    for (const [name, member] of namedSchemas(part['properties'])) {
      types.set(`${path}/${name}`, typeText(member));
      collect(member, `${path}/${name}`, inside);
    }
  };
  collect(schema, '', []);
  return types;
}

function typeText(schema: JsonSchema): string {
  return typeof schema === 'boolean'
    ? String(schema)
    : canonicalText(schema['type'] ?? schema['const'] ?? schema['$ref'] ?? null);
}
