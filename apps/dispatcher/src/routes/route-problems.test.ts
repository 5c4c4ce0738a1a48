import { Type } from '@sinclair/typebox';
import { createReaders, defineContracts, defineMessage } from '@waybill/contracts';
import type { Transport } from '@waybill/transports';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { delivery, NotifyOwner, ParcelMoved, parcels, WeighParcel } from '../../test/parcels.ts';
import { call } from './call.ts';
import { handle } from './handle.ts';
import { publish } from './publish.ts';
import { routeProblems } from './route-problems.ts';

const readers = createReaders([parcels]);
const target: Transport = {
  name: 'nowhere',
  capabilities: {
    dedup: 'none',
    dedupWindowMs: null,
    ordering: 'none',
    maxBatch: 1,
    partialResults: false,
    maxBytes: 1_000,
  },
  publish: () => Promise.resolve([]),
  probe: () => Promise.resolve({ status: 'reachable', warnings: [] }),
  close: () => Promise.resolve(),
};
const nothing = (): void => {};
const Empty = Type.Object({});
const command = { kind: 'journey-step-command', recordKey: null, delivery } as const;
const good = [
  publish(ParcelMoved, { to: target, publishAs: 1 }),
  handle(WeighParcel, nothing),
  call(NotifyOwner, nothing),
];

describe('routes against contracts', () => {
  test('W08: every type has exactly one route', () => {
    expect(routeProblems(good, readers)).toEqual([]);
  });

  test('every problem is told at once', () => {
    const stranger = defineMessage({ ...command, type: 'parcels.unheard-of', versions: { 1: Empty } });
    const routes = [
      publish(ParcelMoved, { to: target }),
      handle(ParcelMoved, nothing),
      handle(WeighParcel, nothing, { lockTimeoutMs: 0 }),
      call(stranger, nothing),
    ];
    expect(routeProblems(routes, readers)).toEqual([
      'parcels.moved: 2 routes (publish, handle); one message has one destination',
      'parcels.notify-owner: no route; every type that can be read needs exactly one',
      'parcels.weigh: lockTimeoutMs: expected whole milliseconds from 1 to 2147483647, got 0',
      'parcels.unheard-of: a route, but none of the contracts has this type',
    ]);
  });

  test('a pinned version has to exist', () => {
    // The type forbids it; a configuration in JavaScript does not.
    const [, ...others] = good;
    expect(routeProblems([publish(ParcelMoved, { to: target, publishAs: 3 as 2 }), ...others], readers)).toEqual([
      'parcels.moved: publishAs 3, but the versions are 1, 2',
    ]);
  });

  test('a route of another copy of the contracts is told apart', () => {
    const older = defineMessage({
      ...command,
      type: WeighParcel.type,
      versions: { 1: Empty, 2: Empty },
      upcast: { 2: (same) => same },
    });
    const [first, , third] = good;
    if (first === undefined || third === undefined) throw new Error('the good routes are three');
    expect(routeProblems([first, handle(older, nothing), third], readers)).toEqual([
      'parcels.weigh: the route was written for version 2, the contracts have 1; two copies of a contract package are installed',
    ]);
  });

  test('W08 Q18: an effect at a provider needs an idempotency contract', () => {
    const Charge = defineMessage({
      ...command,
      kind: 'provider-side-effect',
      type: 'parcels.charge',
      versions: { 1: Empty },
    });
    const charging = createReaders([defineContracts({ name: '@acme/charging', messages: [Charge], events: [] })]);
    expect(routeProblems([call(Charge, nothing)], charging)).toEqual([
      'parcels.charge: an effect at a provider needs an idempotency contract (idempotency of defineMessage), since it may be repeated',
    ]);
  });
});

test('W08: the kind decides where a type may go: an effect at a provider is no effect of a transaction here', () => {
  const [moved, weigh] = good;
  if (moved === undefined || weigh === undefined) throw new Error('the good routes are three');
  expect(routeProblems([moved, weigh, handle(NotifyOwner, nothing)], readers)).toEqual([
    'parcels.notify-owner: handle is for effects in this database, whose transaction takes nothing back at a provider; use call, or publish',
  ]);
  expect(routeProblems([moved, weigh, publish(NotifyOwner, { to: target })], readers)).toEqual([]);
});

test('W26: a handler gets the newest payload, typed', () => {
  handle(ParcelMoved, (payload, { tx, enqueue }) => {
    expectTypeOf(payload).toEqualTypeOf<{ parcel: string; step: number; depot: string }>();
    expectTypeOf(tx).toExtend<{ query: unknown }>();
    expectTypeOf(enqueue).toBeFunction();
  });
  call(NotifyOwner, (payload) => {
    expectTypeOf(payload).toEqualTypeOf<{ owner: string; text: string }>();
  });
});
