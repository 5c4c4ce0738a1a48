import { createReaders, type ReadPayload } from '@waybill/contracts';
import { NOT_SENT, type Transport } from '@waybill/transports';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { claimedRecord, heldRun } from '../../test/loop-parts.ts';
import { MoveParcel, parcels } from '../../test/parcels.ts';
import { systemClock } from '../loop/clock.ts';
import { checkedOutcome } from './checked-outcome.ts';
import type { ReadRecord } from './envelope.ts';
import { invokeHandler } from './invoke-handler.ts';
import { publishAttempt } from './publish-attempt.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

// Spaces as no serialiser would write them: the stored text has to leave as it is.
const STORED = '{ "parcel": "p",  "step": 1 }';

function transportOf(send: Transport['publish']): Transport {
  return {
    name: 'target',
    capabilities: {
      dedup: 'none',
      dedupWindowMs: null,
      ordering: 'none',
      maxBatch: 1,
      partialResults: false,
      maxBytes: 1e6,
    },
    publish: send,
    probe: () => Promise.resolve({ status: 'reachable', warnings: [] }),
    close: () => Promise.resolve(),
  };
}

function readAs(version: 'stored' | 2): ReadRecord {
  const record = claimedRecord('7', { type: MoveParcel.type, version: 1, payload: STORED, attempt: 2 });
  const read = createReaders([parcels]).read(record, version);
  if (read.status !== 'ok') throw new Error(read.reason);
  return { record, message: MoveParcel, read: read satisfies ReadPayload, fence: '9' };
}

async function attempt(send: Transport['publish'], safeUntil = 10_000, version: 'stored' | 2 = 'stored') {
  const run = heldRun(['7'], safeUntil);
  const [outcome] = await publishAttempt(transportOf(send), [readAs(version)], run, systemClock);
  return outcome;
}

/** Looks like an outcome, and throws at whoever looks closer. */
const hostile = {
  outcome: 'refused',
  get class(): string {
    throw new Error('not to be read');
  },
};

describe('publishing', () => {
  test('the stored bytes leave, with the facts that a target needs', async () => {
    const send = vi.fn<Transport['publish']>(() =>
      Promise.resolve([{ outcome: 'accepted', receipt: 'r', duplicate: false }]),
    );
    expect(await attempt(send)).toEqual({ outcome: 'accepted', receipt: 'r', duplicate: false });
    const [batch, context] = send.mock.calls[0] ?? [];
    expect(batch).toMatchObject([{ body: STORED, version: 1, attempt: 3, fence: '9', kind: MoveParcel.kind }]);
    expect(context?.deadline).toBe(10_000);
  });

  test('publishAs gives the target the version it was promised', async () => {
    const send = vi.fn<Transport['publish']>(() =>
      Promise.resolve([{ outcome: 'accepted', receipt: null, duplicate: false }]),
    );
    await attempt(send, 10_000, 2);
    expect(send.mock.calls[0]?.[0]).toMatchObject([{ version: 2, body: '{"parcel":"p","step":1,"depot":"unknown"}' }]);
  });

  test('T04: what was not sent was no attempt', async () => {
    expect(await attempt(() => Promise.resolve([{ outcome: 'retry', class: NOT_SENT }]))).toEqual({
      outcome: 'lease-lost',
    });
  });

  test('a transport that throws, or gives no outcome, may have sent', async () => {
    expect(await attempt(() => Promise.reject(new Error('broken')))).toEqual({
      outcome: 'unknown',
      class: 'transport-error',
      detail: 'Error: broken',
    });
    const notOne = { outcome: 'unknown', class: 'invalid-outcome' };
    expect(await attempt(() => Promise.resolve([]))).toMatchObject(notOne);
    expect(await attempt(() => Promise.resolve(undefined as never)), 'no list at all').toMatchObject(notOne);
    expect(await attempt(() => Promise.resolve([hostile] as never)), 'one that cannot be read').toMatchObject(notOne);
  });

  test('a transport that forgets its deadline does not keep its worker', async () => {
    const overdue = attempt(() => new Promise(() => {}), performance.now() + 1_000);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(await overdue).toMatchObject({ outcome: 'unknown', class: 'overdue' });
    expect(vi.getTimerCount()).toBe(0);
  });
});

/** As of a library that guards its objects; it is no promise, which is all that may be asked of it. */
const closedProxy = new Proxy({} as never, {
  get: () => undefined,
  has: () => {
    throw new Error('not to be looked into');
  },
});

describe('F014: whatever a handler does is an outcome', () => {
  const accepted = { outcome: 'accepted', receipt: null, duplicate: false };
  test.each([
    ['nothing', () => undefined, accepted],
    ['a promise of nothing', () => Promise.resolve(), accepted],
    ['the result of a statement', () => Promise.resolve({ rows: [] }) as never, accepted],
    ['an outcome', () => ({ outcome: 'refused', class: 'closed' }) as const, { outcome: 'refused', class: 'closed' }],
    [
      'an outcome that does not exist',
      () => ({ outcome: 'maybe' }) as never,
      { outcome: 'retry', class: 'invalid-outcome' },
    ],
    ['an outcome that cannot be read', () => hostile as never, { outcome: 'retry', class: 'invalid-outcome' }],
    ['a result that nobody can look into', () => closedProxy, { outcome: 'retry', class: 'invalid-outcome' }],
    [
      'a lock timeout',
      () => Promise.reject(Object.assign(new Error('locked'), { code: '55P03' })),
      { outcome: 'retry', class: 'lock-timeout' },
    ],
    [
      'a thrown undefined',
      () => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- anything can be thrown
        throw undefined;
      },
      { outcome: 'retry', class: 'handler-error', detail: 'undefined was thrown' },
    ],
    [
      'a thenable that calls back twice',
      () =>
        ({
          then: (ok: (value: undefined) => void, no: (error: Error) => void) => {
            ok(undefined);
            no(new Error('late'));
          },
        }) as never,
      accepted,
    ],
  ])('F014: %s', async (_name, handler, expected) => {
    expect(await invokeHandler(handler)).toMatchObject(expected);
  });
});

test.each([
  [null, null],
  ['accepted', null],
  [{ outcome: 'lease-lost' }, null],
  [{ outcome: 'retry' }, { outcome: 'retry', class: 'unclassified' }],
  [
    { outcome: 'retry', class: 'x', afterMs: 5, detail: 7 },
    { outcome: 'retry', class: 'x', afterMs: 5 },
  ],
  [
    { outcome: 'accepted', receipt: 7 },
    { outcome: 'accepted', receipt: null, duplicate: false },
  ],
])('an outcome of foreign code is checked: %j', (value, expected) => {
  expect(checkedOutcome(value)).toEqual(expected);
});
