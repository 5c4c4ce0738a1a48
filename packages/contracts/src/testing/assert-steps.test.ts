import { Type } from '@sinclair/typebox';
import fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import { delivery, OrderPlaced } from '../../test/orders.ts';
import { defineMessage } from '../definition/define-message.ts';
import { payloadsOf } from './arbitrary-payload.ts';
import { assertSteps } from './assert-steps.ts';
import { isWritable, trySteps } from './step-problems.ts';

const command = { type: 'a.command', kind: 'journey-step-command', recordKey: null, delivery } as const;

test('V07: payloads are generated for every version, typed and valid', () => {
  expectTypeOf(payloadsOf(OrderPlaced, 1)).toEqualTypeOf<fc.Arbitrary<{ id: number; buyer: string }>>();
  fc.assert(
    fc.property(payloadsOf(OrderPlaced, 2), (order) => isWritable(OrderPlaced, 2, order)),
    { numRuns: 50 },
  );
});

test('V07: formats, patterns, unions and recursion are generated', () => {
  const Node = Type.Recursive(
    (This) =>
      Type.Object({
        at: Type.String({ format: 'date-time' }),
        code: Type.String({ pattern: '^[A-Z]{3}$' }),
        kind: Type.Union([Type.Literal('a'), Type.Null()]),
        next: Type.Optional(This),
      }),
    { $id: 'Node' },
  );
  const message = defineMessage({ ...command, versions: { 1: Node } });
  expect(fc.sample(payloadsOf(message, 1), { numRuns: 20, seed: 1 })).toHaveLength(20);
});

test('V07: an upcast that fails on some value is found', () => {
  const message = defineMessage({
    ...command,
    versions: { 1: Type.Object({ n: Type.Integer() }), 2: Type.Object({ n: Type.Integer({ minimum: 0 }) }) },
    upcast: { 2: (older) => older },
  });
  expect(() => assertSteps(message, { seed: 1 })).toThrow('returned no valid version 2');
});

const two = {
  1: Type.Object({ a: Type.Integer() }),
  2: Type.Object({ a: Type.Integer(), b: Type.Boolean() }),
};

test('V07: a downcast may lose what the older version cannot say, unless it is asked to keep everything', () => {
  const lossy = defineMessage({
    ...command,
    versions: two,
    upcast: { 2: (older) => ({ ...older, b: false }) },
    downcast: { 2: ({ a }) => ({ a }) },
  });
  expect(() => assertSteps(lossy, { seed: 1 })).not.toThrow();
  expect(() => assertSteps(lossy, { seed: 1, lossless: true })).toThrow('is another record');
  expect(trySteps(lossy, 2, { a: 1, b: true })).toEqual({ problems: [], loses: true });
  expect(trySteps(lossy, 2, { a: 1, b: false })).toEqual({ problems: [], loses: false });
});

test('V07: steps that never come to rest are found', () => {
  const drifting = defineMessage({
    ...command,
    versions: two,
    upcast: { 2: ({ a }) => ({ a: a + 1, b: false }) },
    downcast: { 2: ({ a }) => ({ a }) },
  });
  expect(() => assertSteps(drifting, { seed: 1 })).toThrow('changes the record each time');
});

test('V07: a downcast whose result no writer may emit, or that is invalid, is found', () => {
  const untidy = defineMessage({
    ...command,
    versions: two,
    upcast: { 2: ({ a }) => ({ a, b: false }) },
    downcast: { 2: (newer) => newer },
  });
  expect(() => assertSteps(untidy, { seed: 1 })).toThrow('returned what a writer may not emit');
  expect(() => assertSteps(OrderPlaced, { seed: 1 })).toThrow('orders.order-placed@3 to 2');
});

test('V07: steps that keep everything pass', () => {
  const message = defineMessage({
    ...command,
    versions: {
      1: Type.Object({ name: Type.String() }),
      2: Type.Object({ who: Type.Object({ name: Type.String() }) }),
    },
    upcast: { 2: ({ name }) => ({ who: { name } }) },
    downcast: { 2: ({ who }) => ({ name: who.name }) },
  });
  expect(() => assertSteps(message, { lossless: true })).not.toThrow();
});
