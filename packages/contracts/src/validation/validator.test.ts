import { expect, test } from 'vitest';
import { validatorOf } from './validator.ts';

test('V07: a schema is compiled once for readers and once for writers', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const [open, closed] = [validatorOf(schema, 'open'), validatorOf(schema, 'closed')];
  expect([validatorOf(schema, 'open') === open, validatorOf(schema, 'closed') === closed]).toEqual([true, true]);
  expect([open({ b: 1 }).length, closed({ b: 1 }).length]).toEqual([0, 1]);
});
