import { isSchemaObject, type JsonSchema, type SchemaObject } from './plain-schema.ts';
import { ONE_SCHEMA, SCHEMA_LIST, SCHEMA_MAP } from './schema-keywords.ts';

/** The schema with each schema directly inside it replaced by `change(inner, keyword)`; everything else is kept as it is. */
export function mapSubschemas(schema: SchemaObject, change: (inner: JsonSchema, keyword: string) => JsonSchema): SchemaObject {
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, mapped(keyword, value, change)]));
}

function mapped(keyword: string, value: unknown, change: (inner: JsonSchema, keyword: string) => JsonSchema): unknown {
  if (SCHEMA_LIST.has(keyword) && Array.isArray(value)) return value.map((item: unknown) => (isSchema(item) ? change(item, keyword) : item));
  if (ONE_SCHEMA.has(keyword) && isSchema(value)) return change(value, keyword);
  if (SCHEMA_MAP.has(keyword) && isSchemaObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, isSchema(inner) ? change(inner, keyword) : inner]));
  return value;
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isSchemaObject(value);
}
