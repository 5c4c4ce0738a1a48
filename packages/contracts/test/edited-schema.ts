/** Pairs of schemas of which one is an edit of the other: what a comparison sees every day, and where most of it is the same. */
import fc from 'fast-check';
import { mapSubschemas } from '../src/validation/map-subschemas.ts';
import type { JsonSchema, SchemaObject } from '../src/validation/plain-schema.ts';
import { anySchema } from './any-schema.ts';

const OTHER_UNION: ReadonlyMap<string, string> = new Map([
  ['anyOf', 'oneOf'],
  ['oneOf', 'anyOf'],
]);
type Edit = (schema: SchemaObject) => JsonSchema;

function withoutKeyword(at: number): Edit {
  return (schema) => {
    const keywords = Object.keys(schema);
    return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== keywords[at % keywords.length]));
  };
}

/** Edits of one schema object: spelled otherwise, wider, narrower, or something else. */
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.nat(5).map(withoutKeyword),
  anySchema.map(
    (other): Edit =>
      (schema) =>
        typeof other === 'boolean' ? other : { ...schema, ...other },
  ),
  anySchema.map(
    (other): Edit =>
      (schema) => ({ anyOf: [schema, other] }),
  ),
  anySchema.map(
    (other): Edit =>
      (schema) => ({ allOf: [schema, other] }),
  ),
  anySchema.map(
    (other): Edit =>
      (schema) => ({ oneOf: [schema, other] }),
  ),
  anySchema.map(
    (member): Edit =>
      (schema) => ({ ...schema, properties: { ...(schema['properties'] as object), c: member } }),
  ),
  fc.constant<Edit>((schema) => ({ not: { not: schema } })),
  fc.constant<Edit>((schema) =>
    Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [OTHER_UNION.get(keyword) ?? keyword, value])),
  ),
  fc.integer({ min: -1, max: 1 }).map(
    (step): Edit =>
      (schema) =>
        Object.fromEntries(
          Object.entries(schema).map(([keyword, value]) => [
            keyword,
            typeof value === 'number' && keyword !== 'const' ? Math.max(value + step, 1) : value,
          ]),
        ),
  ),
);

function edited(schema: JsonSchema, at: number, change: Edit): JsonSchema {
  let count = -1;
  const visit = (node: JsonSchema): JsonSchema => {
    if (typeof node === 'boolean') return node;
    count += 1;
    return count === at ? change(node) : mapSubschemas(node, visit);
  };
  return visit(schema);
}

export const editedPair: fc.Arbitrary<readonly [JsonSchema, JsonSchema]> = fc
  .tuple(anySchema, fc.nat(6), edit, fc.boolean())
  .map(([schema, at, change, forward]) => {
    const after = edited(schema, at, change);
    return forward ? [schema, after] : [after, schema];
  });
