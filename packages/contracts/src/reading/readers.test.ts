import { Type } from '@sinclair/typebox';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { delivery, OrderPlaced, orders } from '../../test/orders.ts';
import { defineContracts } from '../definition/contract-package.ts';
import { defineMessage } from '../definition/define-message.ts';
import { createReaders } from './readers.ts';

const readers = createReaders([orders]);
const stored = (version: number, payload: unknown, type = OrderPlaced.type) => ({
  type,
  version,
  payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
});
const command = { kind: 'journey-step-command', recordKey: null, delivery } as const;

describe('reading', () => {
  test('W26: the reader is chosen by the version of the record, and its payload comes in the newest shape', () => {
    expect(readers.read(stored(1, { id: 7, buyer: 'Ada' }))).toEqual({
      status: 'ok',
      type: OrderPlaced.type,
      writtenVersion: 1,
      version: 3,
      payload: { id: '7', buyer: { name: 'Ada' } },
      applied: ['2<-1', '3<-2'],
    });
    expect(readers.read(stored(3, { id: '7', buyer: { name: 'Ada' } }))).toMatchObject({
      status: 'ok',
      version: 3,
      applied: [],
    });
  });

  test('W26: a member that a later edit of the version added is ignored, not refused', () => {
    expect(readers.read(stored(1, { id: 7, buyer: 'Ada', later: true }), 'stored')).toMatchObject({
      status: 'ok',
      payload: { later: true },
    });
  });

  test('a named older version is reached through downcasts, where they exist', () => {
    expect(readers.read(stored(3, { id: '7', buyer: { name: 'Ada' } }), 2)).toMatchObject({
      status: 'ok',
      version: 2,
      payload: { id: 7 },
      applied: ['2<-3'],
    });
    expect(readers.read(stored(3, { id: '7', buyer: { name: 'Ada' } }), 1)).toMatchObject({
      status: 'upcast-failed',
      reason: 'the step 1<-2 is not defined',
    });
  });

  test('W26: what cannot be read is told apart, and no payload value is quoted', () => {
    expect(readers.read(stored(1, {}, 'orders.unheard-of'))).toMatchObject({ status: 'unknown-type' });
    expect(readers.read(stored(9, {}))).toMatchObject({
      status: 'unknown-version',
      reason: 'this build reads versions 1 to 3 of orders.order-placed',
    });
    expect(readers.read(stored(1, { id: 'secret', buyer: 1 }))).toMatchObject({
      status: 'invalid',
      reason: '#/properties/id/type must be integer',
    });
    expect(readers.read(stored(1, '{"secret":'))).toMatchObject({
      status: 'invalid',
      reason: 'the payload is not JSON',
    });
    expect(readers.read(stored(1, '{"id":1,"buyer":"secret"}'), 8)).toMatchObject({ status: 'unknown-version' });
  });

  test('V07: the result of an upcast is validated, and one that throws is an answer', () => {
    const broken = defineMessage({
      ...command,
      type: 'a.broken',
      versions: { 1: Type.Object({ n: Type.Integer() }), 2: Type.Object({ n: Type.Integer({ minimum: 0 }) }) },
      upcast: {
        2: (older) => {
          if (older.n === 13) throw new TypeError('secret');
          return { n: older.n };
        },
      },
    });
    const broad = createReaders([defineContracts({ name: 'broken', messages: [broken] })]);
    expect(broad.read(stored(1, { n: 13 }, 'a.broken'))).toMatchObject({
      status: 'upcast-failed',
      reason: 'the step 2<-1 threw TypeError',
    });
    expect(broad.read(stored(1, { n: -1 }, 'a.broken'))).toMatchObject({
      status: 'upcast-failed',
      reason: 'the step 2<-1 returned no valid version 2: #/properties/n/minimum must be >= 0',
    });
  });

  test('D05: nothing is converted or filled in, and a member inherited from a prototype is not there', () => {
    const message = defineMessage({
      ...command,
      type: 'a.strict',
      versions: { 1: Type.Object({ n: Type.Integer({ default: 1 }), toString: Type.Optional(Type.String()) }) },
    });
    const strict = createReaders([defineContracts({ name: 'strict', messages: [message] })]);
    expect(strict.read(stored(1, { n: '1' }, 'a.strict')).status).toBe('invalid');
    expect(strict.read(stored(1, {}, 'a.strict')).status).toBe('invalid');
    expect(strict.read(stored(1, { n: 2 }, 'a.strict'))).toMatchObject({ payload: { n: 2 } });
  });

  test('a known message is read with its types', () => {
    const read = readers.readAs(OrderPlaced, stored(1, { id: 7, buyer: 'Ada' }));
    if (read.status !== 'ok') throw new Error(read.reason);
    expectTypeOf(read.payload.buyer.name).toEqualTypeOf<string>();
    const old = readers.readStored(OrderPlaced, stored(1, { id: 7, buyer: 'Ada' }));
    if (old.status !== 'ok' || old.version !== 1) throw new Error('version 1 was stored');
    expectTypeOf(old.payload.buyer).toEqualTypeOf<string>();
    expect(readers.readAs(OrderPlaced, stored(1, {}, 'orders.charge-card')).status).toBe('unknown-type');
  });

  test('a value that is nested too deeply is invalid, not a crash', () => {
    const Node = Type.Recursive((This) => Type.Object({ next: Type.Optional(This) }), { $id: 'Node' });
    const deep = createReaders([
      defineContracts({
        name: 'deep',
        messages: [defineMessage({ ...command, type: 'a.deep', versions: { 1: Node } })],
      }),
    ]);
    const text = `${'{"next":'.repeat(50_000)}{}${'}'.repeat(50_000)}`;
    expect(deep.read(stored(1, text, 'a.deep'))).toMatchObject({ status: 'invalid' });
    expect(deep.read(stored(1, '{"next":{"next":{}}}', 'a.deep')).status).toBe('ok');
  });
});

describe('start-up', () => {
  test('W01: capabilities are the pairs of type and version that can be read', () => {
    expect(readers.capabilities).toEqual([
      { type: 'orders.order-placed', version: 1 },
      { type: 'orders.order-placed', version: 2 },
      { type: 'orders.order-placed', version: 3 },
      { type: 'orders.charge-card', version: 1 },
    ]);
    expect(readers.message('orders.order-placed')).toBe(OrderPlaced);
  });

  test('V07: two packages that define the same type and version are both named', () => {
    const other = defineContracts({
      name: '@acme/other',
      messages: [defineMessage({ ...command, type: 'orders.order-placed', versions: { 3: Type.Object({}) } })],
    });
    expect(() => createReaders([orders, other])).toThrow(
      'orders.order-placed: version 3 is defined by both @acme/orders-contracts and @acme/other',
    );
    expect(() => createReaders([orders, orders])).not.toThrow();
  });

  test('W08: an Event record that is cited must be in the package', () => {
    expect(() => createReaders([{ ...orders, events: [] }])).toThrow(
      'orders.order-placed: cites EVT-ORDER-PLACED, which @acme/orders-contracts does not hold',
    );
  });

  test('V07: a package from a broken copy of the library is checked again, all problems at once', () => {
    const gap = { ...OrderPlaced, upcast: { 3: OrderPlaced.upcast[3] }, delivery: { ...delivery, boundary: '' } };
    expect(() => createReaders([{ ...orders, messages: [gap] }])).toThrow(
      /upcast: no function leads from version 1 to 2\n.*delivery.boundary/,
    );
  });
});
