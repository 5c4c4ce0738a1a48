import { mapSubschemas } from '../../validation/map-subschemas.ts';
import { isSchemaObject, type JsonSchema, type SchemaObject } from '../../validation/plain-schema.ts';

/** The schema without the given members, each named with the very object that declares it. */
export function withoutMembers(
  schema: JsonSchema,
  members: readonly { readonly declaredBy: SchemaObject; readonly name: string }[],
): JsonSchema {
  const namesOf = new Map<SchemaObject, Set<string>>();
  for (const { declaredBy, name } of members)
    namesOf.set(declaredBy, new Set([...(namesOf.get(declaredBy) ?? []), name]));
  const strip = (node: JsonSchema): JsonSchema => {
    if (typeof node === 'boolean') return node;
    const names = namesOf.get(node);
    const kept = mapSubschemas(node, strip);
    const properties = kept['properties'];
    if (names === undefined || !isSchemaObject(properties)) return kept;
    return { ...kept, properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.has(name))) };
  };
  return strip(schema);
}
