import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';

import { ANNA, drain, idOf, kill, killHeads } from '../../test/dead.ts';
import { openRoom } from '../../test/room.ts';
import type { Worker } from '../../test/worker.ts';
import { registerDispatcher } from '../statements/dispatcher-registry.ts';
import type { RecordFilter } from '../statements/record-page.ts';
import { countRecords } from './count.ts';
import { discard } from './discard.ts';
import { type ListOptions, listRecords } from './list.ts';
import { oldestPending } from './pending-age.ts';
import { readRecord } from './record.ts';
import { replay } from './replay.ts';

const room = await openRoom();
const store = room.store(room.observer);
let worker: Worker;
beforeEach(async () => {
  worker = await room.worker();
});
afterEach(() => room.clear());
afterAll(() => room[Symbol.asyncDispose]());

/** All pages of a list, as lists of keys. */
async function pages(filter: RecordFilter, options: ListOptions): Promise<readonly (readonly string[])[]> {
  const found: string[][] = [];
  let after: string | undefined;
  for (;;) {
    const page = await listRecords(store, filter, { ...options, ...(after === undefined ? {} : { after }) });
    found.push(page.records.map(({ recordKey }) => recordKey.replace('Parcel/', '')));
    if (page.next === null) return found;
    after = page.next;
  }
}
const keysOf = async (filter: RecordFilter): Promise<readonly string[]> =>
  (await pages(filter, { order: 'oldest' })).flat();

test('S06: pages follow one another without a gap or a repeat, in either order', async () => {
  for (const key of ['a', 'b', 'c', 'd', 'e']) await room.enqueue(room.observer, key, 1);
  expect(await pages({}, { limit: 2 })).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
  expect(await pages({ state: 'pending' }, { limit: 2, order: 'oldest' })).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
});

test('F081 S06: dead letters of one and the same instant are paged without a gap or a repeat', async () => {
  const keys = Array.from({ length: 45 }, (_, n) => `k${String(n).padStart(2, '0')}`);
  for (const key of keys) await room.enqueue(room.observer, key, 1);
  await killHeads(worker);
  await room.query(`update waybill.dead_letter set failed_at = '2026-01-31 10:00:00.123456+00'`);
  for (const order of ['oldest', 'newest'] as const) {
    const found = (await pages({ state: 'dead-letter' }, { limit: 10, order })).flat();
    expect(order === 'oldest' ? found : found.reverse()).toEqual(keys);
  }
});

test('S06 W29: by state, type, version, key and time, each state with its own data', async () => {
  await room.enqueue(room.observer, 'done', 1);
  await drain(worker);
  await room.enqueue(room.observer, 'dead', 1);
  await killHeads(worker);
  await room.enqueue(room.observer, 'leased', 1, 2);
  await worker.claim();
  await room.enqueue(room.observer, 'new', 1);
  await room.query(
    `select * from waybill.enqueue('[{"type": "test.note-taken", "version": 1, "payload": {"value": 1}}]')`,
  );

  expect({
    all: await keysOf({}),
    pending: await keysOf({ state: 'pending' }),
    processing: await keysOf({ state: 'processing' }),
    dispatched: await keysOf({ state: 'dispatched' }),
    dead: await keysOf({ state: 'dead-letter' }),
    type: await keysOf({ type: 'test.note-taken' }),
    version: await keysOf({ type: 'test.parcel-moved', version: 1 }),
    key: await keysOf({ recordKey: 'Parcel/leased' }),
    keyAndState: await keysOf({ recordKey: 'Parcel/leased', state: 'dispatched' }),
    later: await keysOf({ enqueuedAfter: new Date(Date.now() + 3_600_000) }),
    earlier: await keysOf({ enqueuedBefore: new Date(Date.now() - 3_600_000), state: 'pending' }),
    now: await keysOf({
      enqueuedAfter: new Date(Date.now() - 3_600_000),
      enqueuedBefore: new Date(Date.now() + 3_600_000),
      state: 'dispatched',
    }),
  }).toEqual({
    all: ['done', 'dead', 'leased', 'leased', 'new', ''],
    pending: ['new', ''],
    processing: ['leased', 'leased'],
    dispatched: ['done'],
    dead: ['dead'],
    type: [''],
    version: [],
    key: ['leased', 'leased'],
    keyAndState: [],
    later: [],
    earlier: [],
    now: ['done'],
  });

  const states = (await listRecords(store, {}, { order: 'oldest' })).records.map(({ state }) => state);
  expect(states).toEqual([
    { state: 'dispatched', attempt: 1, dispatchedAt: expect.any(Date), dispatchedBy: worker.owner, lastError: null },
    {
      state: 'dead-letter',
      deadLetter: expect.any(String),
      attempt: 1,
      reason: 'refused',
      error: 'refused by test',
      failedAt: expect.any(Date),
      failedBy: worker.owner,
      discarded: null,
    },
    ...Array<unknown>(2).fill({
      state: 'processing',
      attempt: 0,
      lease: { owner: worker.owner, expiresAt: expect.any(Date), fence: '1' },
      lastError: null,
    }),
    ...Array<unknown>(2).fill({
      state: 'pending',
      reason: 'no-reader',
      attempt: 0,
      nextAttemptAt: expect.any(Date),
      lastError: null,
    }),
  ]);
});

test('S06: a time is found among gaps in the numbers', async () => {
  for (const key of ['a', 'b', 'c', 'd', 'e']) await room.enqueue(room.observer, key, 1);
  await room.query('alter table waybill.message disable trigger message_is_immutable');
  await room.query(
    `update waybill.message set enqueued_at = '2026-01-01T00:00:00Z'::timestamptz + (ascii(right(record_key, 1)) - 97) * interval '1 hour'`,
  );
  await room.query('alter table waybill.message enable trigger message_is_immutable');
  await room.query(`delete from waybill.message where record_key in ('Parcel/a', 'Parcel/c')`);
  const at = (hour: number): Date => new Date(Date.UTC(2026, 0, 1, hour));
  expect(await keysOf({ enqueuedAfter: at(1), enqueuedBefore: at(4) })).toEqual(['b', 'd']);
  expect(await keysOf({ enqueuedAfter: at(2) })).toEqual(['d', 'e']);
  expect(await keysOf({ enqueuedBefore: at(3) })).toEqual(['b']);
});

test('S06: a limit is capped and checked, a cursor is one of ours', async () => {
  await expect(listRecords(store, {}, { limit: 0 })).rejects.toMatchObject({ code: 'STO_INVALID_OPTION' });
  await expect(listRecords(store, {}, { after: `1' or '1'='1` })).rejects.toMatchObject({ code: 'STO_INVALID_OPTION' });
});

test('F033 S06: counts by state and type', async () => {
  await room.enqueue(room.observer, 'done', 1);
  await drain(worker);
  await room.enqueue(room.observer, 'dead', 1);
  await killHeads(worker);
  await room.enqueue(room.observer, 'leased', 1, 2, 3);
  await worker.claim({ runLength: 2 });
  const count = (state: 'pending' | 'processing' | 'dispatched' | 'dead-letter', type?: string): Promise<unknown> =>
    countRecords(store, { state, ...(type === undefined ? {} : { type }) });
  expect(await count('pending')).toEqual({ count: 1, capped: false });
  expect(await count('processing')).toEqual({ count: 2, capped: false });
  expect(await count('dispatched')).toEqual({ count: 1, capped: false });
  expect(await count('dead-letter')).toEqual({ count: 1, capped: false });
  expect(await count('pending', 'test.note-taken')).toEqual({ count: 0, capped: false });
});

test('F033: the age of the oldest pending message, by the database and by contract', async () => {
  expect(await oldestPending(store)).toEqual([]);
  await room.enqueue(room.observer, 'a', 1);
  await room.query('alter table waybill.message disable trigger message_is_immutable');
  await room.query(
    `update waybill.message set enqueued_at = clock_timestamp() - interval '1 hour', occurred_at = '2000-01-01'`,
  );
  await room.query('alter table waybill.message enable trigger message_is_immutable');
  await room.enqueue(room.observer, 'b', 1);
  const [age] = await oldestPending(store);
  expect(age).toMatchObject({ type: 'test.parcel-moved', version: 2, exact: true });
  expect(age!.ageMs).toBeGreaterThanOrEqual(3_600_000);
  expect(age!.ageMs).toBeLessThan(3_900_000);
});

test('S06 W30 O03: one message with its whole history', async () => {
  await room.enqueue(room.observer, 'k', 1);
  const id = await idOf(room, 'k', 1);
  const { runs } = await worker.claim();
  await kill(worker, runs[0]!, { reason: 'attempts-exhausted' });
  await replay(store, id.toUpperCase(), ANNA);
  await killHeads(worker);
  await discard(store, id, ANNA);
  expect(await readRecord(store, id)).toMatchObject({
    id,
    payload: '{"id":"k","step":1}',
    headers: '{}',
    state: { state: 'dead-letter', reason: 'refused', discarded: { by: ANNA.actor, reason: ANNA.reason } },
    deliveries: [
      {
        ended: 'dead-letter',
        reason: 'attempts-exhausted',
        by: worker.owner,
        attempts: 1,
        replayedAt: expect.any(Date),
        discardedAt: null,
      },
      { ended: 'dead-letter', reason: 'refused', replayedAt: null, discardedAt: expect.any(Date) },
    ],
    replays: [{ actor: ANNA.actor, reason: ANNA.reason }],
    actions: [{ action: 'replay' }, { action: 'discard' }],
  });
  expect(await readRecord(store, 'nonsense')).toBeNull();
});

test('S06: each delivery keeps the version that was written, the one that was handed over, and the build', async () => {
  const type = 'test.parcel-moved';
  const contractIds = [...room.contracts.values()];
  await registerDispatcher(store, { id: worker.owner, build: 'parcels@1.0.0', contractIds, handsOver: { [type]: 3 } });
  const next = await room.worker();
  await registerDispatcher(store, { id: next.owner, build: 'parcels@1.1.0', contractIds });
  await room.enqueue(room.observer, 'k', 1);
  const id = await idOf(room, 'k', 1);
  await killHeads(worker);
  await replay(store, id, ANNA);
  await drain(next);
  const deliveries = async () => (await readRecord(store, id))?.deliveries;
  expect(await deliveries()).toMatchObject([
    { ended: 'dead-letter', by: worker.owner, build: 'parcels@1.0.0', writtenVersion: 2, handedVersion: 3 },
    { ended: 'dispatched', by: next.owner, build: 'parcels@1.1.0', writtenVersion: 2, handedVersion: 2 },
  ]);
  await room.query('delete from waybill.dispatcher');
  expect(await deliveries()).toMatchObject(Array(2).fill({ build: null, writtenVersion: 2, handedVersion: null }));
});
