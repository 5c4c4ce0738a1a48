/** Generators of schemas and of records that are likely to meet them: few names, few constants, every keyword. */
import fc from 'fast-check';
import type { JsonValue, Scalar } from '../src/compat/json-value.ts';
import type { JsonSchema } from '../src/validation/plain-schema.ts';

const name = fc.constantFrom('a', 'b', 'c', 'xa');
const scalar = fc.constantFrom<Scalar>('a', 'b', 'ab', 0, 1, 2, 1.5, true, null);
const optional = { requiredKeys: ['type'] as ['type'] };

/** Schemas without schemas inside. */
const leaf: fc.Arbitrary<JsonSchema> = fc.oneof(
  fc.constant({}),
  fc.boolean(),
  fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'null', 'boolean') }),
  fc.record(
    {
      type: fc.constant('number'),
      minimum: fc.integer({ min: -2, max: 3 }),
      exclusiveMaximum: fc.integer({ min: 0, max: 4 }),
    },
    optional,
  ),
  fc.record(
    {
      type: fc.constant('integer'),
      multipleOf: fc.integer({ min: 1, max: 3 }),
      maximum: fc.integer({ min: 0, max: 4 }),
    },
    optional,
  ),
  fc.record(
    {
      type: fc.constant('string'),
      minLength: fc.nat(3),
      maxLength: fc.nat(3),
      pattern: fc.constantFrom('^a', 'b$', '^[ab]*$'),
    },
    optional,
  ),
  fc.record({ const: scalar }),
  fc.record({ enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }) }),
);

export const anySchema: fc.Arbitrary<JsonSchema> = fc.letrec<{
  schema: JsonSchema;
  object: JsonSchema;
  array: JsonSchema;
  union: JsonSchema;
}>((tie) => ({
  schema: fc.oneof({ maxDepth: 3 }, leaf, tie('object'), tie('array'), tie('union'), fc.record({ not: tie('schema') })),
  object: fc.record(
    {
      type: fc.constant('object'),
      properties: fc.dictionary(name, tie('schema'), { maxKeys: 2, noNullPrototype: true }),
      required: fc.uniqueArray(name, { maxLength: 2 }),
      additionalProperties: tie('schema'),
      patternProperties: fc.dictionary(fc.constantFrom('^x', 'a$'), tie('schema'), {
        maxKeys: 1,
        noNullPrototype: true,
      }),
      maxProperties: fc.nat(2),
      minProperties: fc.nat(2),
      propertyNames: fc.constantFrom({ maxLength: 1 }, { pattern: '^a' }),
      dependentRequired: fc.constant({ a: ['b'] }),
      unevaluatedProperties: fc.constantFrom(false, { type: 'string' }),
    },
    optional,
  ),
  array: fc.record(
    {
      type: fc.constant('array'),
      items: tie('schema'),
      prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      minItems: fc.nat(2),
      maxItems: fc.nat(3),
      uniqueItems: fc.boolean(),
      contains: tie('schema'),
      minContains: fc.nat(2),
      maxContains: fc.nat(2),
    },
    optional,
  ),
  union: fc.oneof(
    ...(['anyOf', 'oneOf', 'allOf'] as const).map((keyword) =>
      fc.record({ [keyword]: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    ),
    fc.record({ if: tie('schema'), then: tie('schema'), else: tie('schema') }, { requiredKeys: ['if'] }),
    fc.record({
      allOf: fc.array(tie('object'), { minLength: 1, maxLength: 2 }),
      unevaluatedProperties: fc.constantFrom(false, { type: 'number' }),
    }),
  ),
})).schema;

export const anyValue: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
})).value;
