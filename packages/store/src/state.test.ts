import { DEAD_LETTER_REASONS, HEAD_POLICIES, KINDS, OUTBOX_STATES, type OutboxStateName } from '@waybill/contracts';
import fc from 'fast-check';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';

import { ANNA, idOf, killHeads } from '../test/dead.ts';
import { openRoom } from '../test/room.ts';
import type { Worker } from '../test/worker.ts';
import type { Run } from './claimed.ts';
import { discard } from './operators/discard.ts';
import { readRecord } from './operators/record.ts';
import { replay } from './operators/replay.ts';
import {
  type DeadLetter,
  OUTBOX_EVENTS,
  type OutboxEvent,
  type OutboxState,
  stateAfter,
  TRANSITIONS,
} from './state.ts';

const NOW = new Date(0);
const DEAD: DeadLetter = {
  state: 'dead-letter',
  deadLetter: '1',
  attempt: 1,
  reason: 'refused',
  error: '',
  failedAt: NOW,
  failedBy: 'somebody',
  discarded: null,
};
const EXAMPLES: { readonly [S in OutboxStateName]: Extract<OutboxState, { state: S }> } = {
  pending: { state: 'pending', reason: 'ready', attempt: 0, nextAttemptAt: NOW, lastError: null },
  processing: {
    state: 'processing',
    attempt: 0,
    lease: { owner: 'somebody', expiresAt: NOW, fence: '1' },
    lastError: null,
  },
  dispatched: { state: 'dispatched', attempt: 1, dispatchedAt: NOW, dispatchedBy: 'somebody', lastError: null },
  'dead-letter': DEAD,
};

describe('W29: the table of transitions', () => {
  const events = fc.array(fc.constantFrom(...OUTBOX_EVENTS), { maxLength: 40 });
  /** The states that a message goes through; an event that cannot happen changes nothing. */
  const walk = (
    given: readonly OutboxEvent[],
  ): readonly { readonly from: OutboxStateName; readonly event: OutboxEvent; readonly to: OutboxStateName }[] => {
    let from: OutboxStateName = 'pending';
    return given.flatMap((event) => {
      const to = stateAfter(EXAMPLES[from], event);
      if (to === null) return [];
      const step = { from, event, to };
      from = to;
      return [step];
    });
  };

  test('W29: covers the closed set of states, and each death has its reason', () => {
    expect(Object.keys(TRANSITIONS).sort()).toEqual([...OUTBOX_STATES].sort());
    const deaths = Object.entries(TRANSITIONS.processing).filter(([, to]) => to === 'dead-letter');
    expect(deaths.map(([event]) => event).sort()).toEqual([...DEAD_LETTER_REASONS].sort());
  });

  test('W29: dispatched is the end, and nothing but a claim leads to processing', () => {
    fc.assert(
      fc.property(events, (given) => {
        const steps = walk(given);
        const end = steps.findIndex(({ to }) => to === 'dispatched');
        expect(end === -1 ? [] : steps.slice(end + 1)).toEqual([]);
        for (const { from, event, to } of steps) {
          if (to === 'processing') expect({ from, event }).toEqual({ from: 'pending', event: 'claimed' });
          if (to === 'dispatched') expect({ from, event }).toEqual({ from: 'processing', event: 'accepted' });
          if (from === 'dead-letter') expect({ event, to }).toEqual({ event: 'replayed', to: 'pending' });
        }
      }),
    );
  });

  test('I07 W29: attempts end in one of the two ends, whatever came before', () => {
    fc.assert(
      fc.property(events, (given) => {
        const last = walk(given).at(-1)?.to ?? 'pending';
        if (last === 'pending') expect(stateAfter(EXAMPLES.pending, 'claimed')).toBe('processing');
        if (last === 'processing') expect(stateAfter(EXAMPLES.processing, 'attempts-exhausted')).toBe('dead-letter');
      }),
    );
  });

  test('O03 W29: what was discarded goes nowhere', () => {
    const discarded = { ...DEAD, discarded: { at: NOW, by: 'anna', reason: 'not needed' } };
    fc.assert(
      fc.property(fc.constantFrom(...OUTBOX_EVENTS), (event) => {
        expect(stateAfter(discarded, event)).toBeNull();
      }),
    );
  });
});

describe('the database', () => {
  const roomReady = openRoom();
  let worker: Worker;
  let run: Run | undefined;
  beforeEach(async () => {
    worker = await (await roomReady).worker();
    run = undefined;
  });
  afterEach(async () => (await roomReady).clear());
  afterAll(async () => (await roomReady)[Symbol.asyncDispose]());

  /** The run that was claimed; before any claim what a settler would hold that only believes to have a lease. */
  const lease = async (): Promise<Run> => {
    if (run !== undefined) return run;
    const [row] = await (await roomReady).query('select seq::text as head from waybill.message');
    return { head: String(row?.['head']), fence: '1', recordKey: 'Parcel/k', records: [] };
  };
  const settleAs = async (next: Parameters<Worker['settle']>[2], delivered = 0): Promise<void> => {
    await worker.settle(await lease(), delivered, next);
  };
  const die = (reason: (typeof DEAD_LETTER_REASONS)[number]) => async (): Promise<void> =>
    settleAs({ then: 'dead-letter', position: (await lease()).head, reason, error: 'no' });

  const DRIVE: Readonly<Record<OutboxEvent, () => Promise<void>>> = {
    claimed: async () => {
      run = (await worker.claim()).runs[0] ?? run;
    },
    accepted: () => settleAs({ then: 'release' }, 1),
    retried: () => settleAs({ then: 'retry', delayMs: 60_000, error: 'later' }),
    released: () => settleAs({ then: 'release' }),
    'lease-expired': async () => (await roomReady).expireLeases(),
    refused: die('refused'),
    'attempts-exhausted': die('attempts-exhausted'),
    'crash-loop': die('crash-loop'),
    unreadable: die('unreadable'),
    replayed: async () => {
      const room = await roomReady;
      await replay(room.store(room.observer), await idOf(room, 'k', 1), ANNA);
    },
  };
  const REACH: Readonly<Record<OutboxStateName, () => Promise<void>>> = {
    pending: () => Promise.resolve(),
    processing: () => DRIVE.claimed(),
    dispatched: () => DRIVE.claimed().then(DRIVE.accepted),
    'dead-letter': () => DRIVE.claimed().then(DRIVE.refused),
  };

  const everything = async (): Promise<unknown> => {
    const room = await roomReady;
    return [
      await room.query('select * from waybill.delivery'),
      await room.query('select * from waybill.dispatched'),
      await room.query('select * from waybill.dead_letter'),
    ];
  };

  test.each(OUTBOX_STATES.flatMap((from) => OUTBOX_EVENTS.map((event) => ({ from, event }))))(
    'W29 I02 I04: $event from $from ends as the table says',
    async ({ from, event }) => {
      const room = await roomReady;
      await room.enqueue(room.observer, 'k', 1);
      await REACH[from]();
      const store = room.store(room.observer);
      const id = await idOf(room, 'k', 1);
      const before = await everything();
      const state = (await readRecord(store, id))!.state;
      expect(state.state).toBe(from);

      await DRIVE[event]();
      const expected = stateAfter(state, event);
      expect((await readRecord(store, id))!.state.state).toBe(expected ?? from);
      if (expected === null) expect(await everything(), 'an illegal event leaves no trace').toEqual(before);
    },
  );

  test('W29 O03: a discarded message takes no event', async () => {
    const room = await roomReady;
    const store = room.store(room.observer);
    await room.enqueue(room.observer, 'k', 1);
    const [id] = await killHeads(worker);
    await discard(store, id!, ANNA);
    const before = await everything();
    for (const event of OUTBOX_EVENTS) await DRIVE[event]();
    expect(await everything()).toEqual(before);
  });

  test.each([
    ['dead_letter', 'dead_letter_reason_known', DEAD_LETTER_REASONS],
    ['contract', 'contract_kind_known', KINDS],
    ['contract', 'contract_head_policy_known', HEAD_POLICIES],
  ])('W29: the constraint on %s %s has the same values as the vocabulary', async (table, name, values) => {
    const room = await roomReady;
    const [row] = await room.query(
      `select pg_get_constraintdef(oid) as text from pg_constraint where conname = $1 and conrelid = $2::text::regclass`,
      [name, `waybill.${table}`],
    );
    expect([...String(row?.['text']).matchAll(/'([^']+)'/g)].map(([, value]) => value).sort()).toEqual(
      [...values].sort(),
    );
  });

  test.each([
    ['ready and timed at once', 'delivery', `update waybill.delivery set due_at = 'tomorrow'`],
    ['a lease without an end', 'delivery', `update waybill.delivery set lease_owner = gen_random_uuid()`],
    [
      'a lease on a row that waits',
      'delivery',
      `update waybill.delivery set ready_xid = null, lease_owner = gen_random_uuid(), lease_expires_at = 'tomorrow'`,
    ],
    ['a run without a lease', 'delivery', `update waybill.delivery set run_to = position`],
    ['a tombstone that can be claimed', 'delivery', `update waybill.delivery set settled = true`],
    ['attempts below none', 'delivery', `update waybill.delivery set attempt = -1`],
    ['a replay without a place', 'dead_letter', `update waybill.dead_letter set replayed_at = now()`],
    ['a discard without a name', 'dead_letter', `update waybill.dead_letter set discarded_at = now()`],
    [
      'replayed and discarded',
      'dead_letter',
      `update waybill.dead_letter set replayed_at = now(), replayed_as = 1, discarded_at = now(), discarded_by = 'a', discard_reason = 'b'`,
    ],
    ['an unknown reason', 'dead_letter', `update waybill.dead_letter set reason = 'bored'`],
    [
      'dead twice',
      'dead_letter',
      `insert into waybill.dead_letter (seq, position, contract_id, failed_by, attempt, reason, error) select seq, 9, 1, failed_by, 1, reason, '' from waybill.dead_letter`,
    ],
  ])('W29 I04: no row can be %s', async (_, table, statement) => {
    const room = await roomReady;
    await room.enqueue(room.observer, 'k', 1);
    if (table === 'dead_letter') await killHeads(worker);
    await expect(room.query(statement)).rejects.toMatchObject({ code: expect.stringMatching(/^2350[5]$|^23514$/) });
  });
});
