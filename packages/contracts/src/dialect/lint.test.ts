import { type TSchema, Type } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { OrderPlaced } from '../../test/orders.ts';
import { lintMessage } from './lint.ts';

const lint = (member: TSchema): readonly string[] =>
  lintMessage({ ...OrderPlaced, versions: { 1: Type.Object({ m: member }) } }, '2025-01-01').map(
    ({ path, instead }) => `${path}: ${instead}`,
  );
const other = (keyword: string, value: unknown, more: object = {}) => Type.Unsafe({ ...more, [keyword]: value });
const text = Type.String();

test.each<[string, TSchema, string, string]>([
  ['a Date of TypeBox', Type.Date(), '/type', 'a date is a string with a format'],
  ['a BigInt of TypeBox', Type.BigInt(), '/type', 'a big integer a string with a pattern'],
  ['a tuple', Type.Tuple([text]), '/items', 'write an object with named members'],
  ['a tuple of today', other('prefixItems', [text]), '/prefixItems', 'write an object with named members'],
  ['a record', Type.Record(text, text), '/patternProperties', 'Type.Object({}, { additionalProperties: schema })'],
  ['an intersection', other('allOf', [text]), '/allOf', 'Type.Composite([...]) instead of Type.Intersect'],
  ['a negation', Type.Not(text), '/not', 'say what is allowed'],
  ['a condition', other('if', text, { then: text }), '/if', 'write a discriminated union'],
  ['dependencies', other('dependentRequired', { a: ['b'] }), '/dependentRequired', 'group the members'],
  ['names', other('propertyNames', text), '/propertyNames', 'write a list of { key, value }'],
  ['a search', Type.Array(text, { contains: text }), '/contains', 'check it in code'],
  ['a number of members', Type.Object({}, { maxProperties: 1 }), '/maxProperties', 'an added member would break it'],
  ['a keyword of OpenAPI', Type.String({ nullable: true }), '/nullable', 'Type.Union([schema, Type.Null()])'],
  ['another one', Type.Object({}, { discriminator: {} }), '/discriminator', 'a required constant in each alternative'],
  ['an unknown keyword', Type.String({ 'x-unit': 'ms' }), '/x-unit', 'write it in the description'],
  ['an unknown format', Type.String({ format: 'iban' }), '/format', 'one of date, date-time'],
  ['a fraction', Type.Number({ multipleOf: 0.01 }), '/multipleOf', 'count in the smallest unit'],
  ['an expensive pattern', Type.String({ pattern: '^(a+)+$' }), '/pattern', 'bound it with maxLength'],
  ['a default that is computed', Type.String({ default: () => 'x' }), '/default', 'write the value as JSON has it'],
  ['a union', Type.Union([text, Type.String({ minLength: 1 })]), '/anyOf', 'a constant of its own'],
  ['a name of a prototype', Type.Object({ constructor: text }), '/properties/constructor', 'choose another name'],
  ['a dynamic reference', other('$dynamicRef', '#'), '/$dynamicRef', 'write $ref'],
])('V08: lint says what to write instead of %s', (_what, member, place, instead) => {
  const told = lint(member).filter((line) => line.startsWith(`/properties/m${place}: `));
  expect(told).toEqual([expect.stringContaining(instead)]);
});

test('V08: what does not compile for another reason is told as it is', () => {
  expect(lint(Type.Union([Type.Ref('Nowhere'), Type.Null()]))).toEqual(['/: use the types of the contract dialect']);
});

test('V08: what the dialect is made of passes', () => {
  const line = Type.Object({ sku: text, count: Type.Integer({ minimum: 1 }) });
  expect(
    [
      Type.Array(line),
      Type.Union([text, Type.Null()]),
      Type.Union([Type.Literal('a'), Type.Literal('b')]),
      Type.Enum({ A: 'a', B: 'b' }),
      Type.Union([Type.Object({ kind: Type.Literal('x') }), Type.Object({ kind: Type.Literal('y') })]),
      Type.Object({}, { additionalProperties: line }),
      Type.Recursive((This) => Type.Object({ inner: Type.Array(This) })),
      Type.String({ format: 'date-time', description: 'When' }),
    ].flatMap(lint),
  ).toEqual([]);
});
