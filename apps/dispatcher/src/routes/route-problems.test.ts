import { Type } from '@sinclair/typebox';
import { type AnyMessage, createReaders, defineContracts, defineEvent, defineMessage } from '@waybill/contracts';
import type { Transport } from '@waybill/transports';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { delivery, MoveParcel, NotifyOwner, parcels, WeighParcel } from '../../test/parcels.ts';
import { type CallOptions, call } from './call.ts';
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
  publish(MoveParcel, { to: target, publishAs: 1 }),
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
      publish(MoveParcel, { to: target }),
      handle(MoveParcel, nothing),
      handle(WeighParcel, nothing, { lockTimeoutMs: 0 }),
      call(stranger, nothing),
    ];
    expect(routeProblems(routes, readers)).toEqual([
      'parcels.move: 2 routes (publish, handle); one message has one destination',
      'parcels.notify-owner: no route; every type that can be read needs exactly one',
      'parcels.weigh: lockTimeoutMs: expected whole milliseconds from 1 to 2147483647, got 0',
      'parcels.unheard-of: a route, but none of the contracts has this type',
    ]);
  });

  test('a pinned version has to exist', () => {
    // The type forbids it; a configuration in JavaScript does not.
    const [, ...others] = good;
    expect(routeProblems([publish(MoveParcel, { to: target, publishAs: 3 as 2 }), ...others], readers)).toEqual([
      'parcels.move: publishAs 3, but the versions are 1, 2',
    ]);
  });

  test('W08: a kind that the contracts do not have is told, since it would travel with the message', () => {
    const older = defineMessage({
      ...command,
      kind: 'provider-side-effect',
      idempotency: { class: 'create' },
      type: WeighParcel.type,
      versions: { 1: Empty },
    });
    const [first, , third] = good;
    if (first === undefined || third === undefined) throw new Error('the good routes are three');
    expect(routeProblems([first, call(older, nothing), third], readers)).toEqual([
      'parcels.weigh: the route was written for the kind provider-side-effect, the contracts have journey-step-command; two copies of a contract package are installed',
    ]);
  });

  // The types forbid most of it; a configuration in JavaScript does not.
  test.each<[unknown, readonly string[]]>([
    [{ idempotency: { class: 'create' } }, []],
    [{ idempotency: { class: 'external', contract: 'drops repeats by id' } }, []],
    [
      { idempotency: { class: 'harmless' } },
      ['idempotency.class: must be one of deterministic-set, create, state-dependent, external'],
    ],
    [
      { idempotency: { class: 'external', contract: ' ' } },
      ['idempotency.contract: an effect of class external says what makes a repeat harmless'],
    ],
    [
      { idempotency: { class: 'state-dependent' } },
      ['idempotency.contract: an effect of class state-dependent says what makes a repeat harmless'],
    ],
    [{ scopedOut: { reason: 'r', by: 'anna', until: '2026-03-01T00:00:00Z' } }, []],
    [
      { scopedOut: { reason: '', until: 'for ever' } },
      [
        'scopedOut.reason: say why',
        'scopedOut.by: say who has decided',
        'scopedOut.until: expected a time with its offset, such as 2026-01-31T10:00:00Z, got for ever',
      ],
    ],
    [
      { scopedOut: { reason: 'r', by: 'anna', until: '2026-03-01' } },
      ['scopedOut.until: expected a time with its offset, such as 2026-01-31T10:00:00Z, got 2026-03-01'],
    ],
  ])('W08 Q18: the gate goes by the options %j, so they are checked too', (options, problems) => {
    const [first, second] = good;
    if (first === undefined || second === undefined) throw new Error('the good routes are three');
    const routed = call(NotifyOwner, nothing, options as CallOptions);
    expect(routeProblems([first, second, routed], readers)).toEqual(
      problems.map((problem) => `parcels.notify-owner: ${problem}`),
    );
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

const PUBLISH_IT = [
  'parcels.probe: an integration event tells others, so publish it; a reaction of this service is a journey-step-command of its own',
];
const CALL_IT = [
  'parcels.probe: handle is for effects in this database, whose transaction takes nothing back at a provider; use call, or publish',
];
const probe = { type: 'parcels.probe', versions: { 1: Empty }, recordKey: null, delivery } as const;
const probed = defineEvent({ id: 'EVT-PARCEL-PROBED', title: 'Probed', raises: 'a test', reactsTo: ['the test'] });

describe('W08: the kind decides who dispatches a message, and over which transport', () => {
  const event = defineMessage({ ...probe, kind: 'integration-event', event: probed.id });
  const step = defineMessage({ ...probe, kind: 'journey-step-command' });
  const effect = defineMessage({ ...probe, kind: 'provider-side-effect', idempotency: { class: 'deterministic-set' } });
  const over = { publish: (message: AnyMessage) => publish(message, { to: target }), call, handle };

  test.each([
    { message: event, via: 'publish', problems: [] },
    { message: event, via: 'call', problems: PUBLISH_IT },
    { message: event, via: 'handle', problems: PUBLISH_IT },
    { message: step, via: 'publish', problems: [] },
    { message: step, via: 'call', problems: [] },
    { message: step, via: 'handle', problems: [] },
    { message: effect, via: 'publish', problems: [] },
    { message: effect, via: 'call', problems: [] },
    { message: effect, via: 'handle', problems: CALL_IT },
  ] as const)('$message.kind over $via', ({ message, via, problems }) => {
    const contracts = defineContracts({
      name: '@acme/probes',
      messages: [message],
      events: message.event === null ? [] : [probed],
    });
    expect(routeProblems([over[via](message, nothing)], createReaders([contracts]))).toEqual(problems);
  });
});

test('W26: a handler gets the newest payload, typed', () => {
  handle(MoveParcel, (payload, { tx, enqueue }) => {
    expectTypeOf(payload).toEqualTypeOf<{ parcel: string; step: number; depot: string }>();
    expectTypeOf(tx).toExtend<{ query: unknown }>();
    expectTypeOf(enqueue).toBeFunction();
  });
  call(NotifyOwner, (payload) => {
    expectTypeOf(payload).toEqualTypeOf<{ owner: string; text: string }>();
  });
});
