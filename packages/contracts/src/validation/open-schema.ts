import { mapSubschemas } from './map-subschemas.ts';
import type { JsonSchema } from './plain-schema.ts';

/** Keywords whose schema is a condition or a negation: opening it would narrow what the whole accepts. */
const CONDITIONS: ReadonlySet<string> = new Set(['not', 'if']);

/** What a reader accepts: the schema with unknown members ignored, since a later edit of the same version may have added some. */
export function openSchema(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const { additionalProperties, unevaluatedProperties, ...rest } = schema;
  const opened = {
    ...rest,
    ...(additionalProperties === undefined || additionalProperties === false ? {} : { additionalProperties }),
    ...(unevaluatedProperties === undefined || unevaluatedProperties === false ? {} : { unevaluatedProperties }),
  };
  return mapSubschemas(opened, (inner, keyword) => (CONDITIONS.has(keyword) ? inner : openSchema(inner)));
}
