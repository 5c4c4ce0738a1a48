import { isSchemaObject, type JsonSchema, type SchemaObject } from './plain-schema.ts';
import { ONE_SCHEMA, SCHEMA_LIST, SCHEMA_MAP } from './schema-keywords.ts';

/** Makes a new schema of one that stands under a keyword, at a name or an index where the keyword holds several. */
type Change = (inner: JsonSchema, keyword: string, name?: string | number) => JsonSchema;

/** The schema with each schema directly inside it replaced by what `change` makes of it; everything else is kept as it is. */
export function mapSubschemas(schema: SchemaObject, change: Change): SchemaObject {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, mapped(keyword, value, change)]),
  );
}

function mapped(keyword: string, value: unknown, change: Change): unknown {
  if (SCHEMA_LIST.has(keyword) && Array.isArray(value))
    return value.map((item: unknown, index) => (isSchema(item) ? change(item, keyword, index) : item));
  if (ONE_SCHEMA.has(keyword) && isSchema(value)) return change(value, keyword);
  if (SCHEMA_MAP.has(keyword) && isSchemaObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, isSchema(inner) ? change(inner, keyword, name) : inner]),
    );
  return value;
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isSchemaObject(value);
}
