/** A JSON Schema as plain JSON data: what TypeBox builds, without its symbols. */
export type JsonSchema = boolean | SchemaObject;
export interface SchemaObject {
  readonly [keyword: string]: unknown;
}

/** The schema as it is frozen and published. TypeBox keeps its kind in symbols, which JSON does not carry. */
export function plainSchema(schema: object): SchemaObject {
  // A round trip of an object is an object.
  return JSON.parse(JSON.stringify(schema)) as SchemaObject;
}

export function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
