import type { SchemaObject } from './plain-schema.ts';

/** The schema object without some of its keywords. */
export function withoutKeywords(schema: SchemaObject, ...keywords: readonly string[]): SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}
