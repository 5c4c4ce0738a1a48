import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';

import { ANNA, drain, idOf, killHeads } from '../../test/dead.ts';
import { NOTE, openRoom, PARCEL } from '../../test/room.ts';
import type { Worker } from '../../test/worker.ts';
import { leaveDispatcher, registerDispatcher } from '../statements/dispatcher-registry.ts';
import { discard } from './discard.ts';
import { type ContractSignals, liveDispatchers, readSignals, recentAttempts } from './signals.ts';

const room = await openRoom();
const store = room.store(room.observer);
let worker: Worker;
beforeEach(async () => {
  worker = await room.worker();
});
afterEach(async () => {
  await room.clear();
  await room.query('delete from waybill.dispatcher');
});
afterAll(() => room[Symbol.asyncDispose]());

async function parcels(): Promise<ContractSignals> {
  const { contracts } = await readSignals(store);
  const found = contracts.find(({ type, version }) => `${type}@${String(version)}` === PARCEL);
  if (found === undefined) throw new Error('the contract is not there');
  return found;
}

async function enter(...names: readonly (typeof PARCEL | typeof NOTE)[]): Promise<string> {
  const id = randomUUID();
  const contractIds = names.map((name) => room.contracts.get(name) ?? 0);
  await registerDispatcher(store, { id, build: 'test@1', contractIds });
  return id;
}

test('W27: pending messages by where they stand, those in process, those in retry and the dead ones', async () => {
  for (const key of ['dead', 'again', 'leased']) await room.enqueue(room.observer, key, 1);
  await killHeads(worker);
  await room.enqueue(room.observer, 'leased', 1, 2);
  await worker.claim();
  await room.enqueue(room.observer, 'ready', 1, 2, 3);
  await room.query(`update waybill.delivery set attempt = 1, ready_xid = null, due_at = clock_timestamp() + interval '1 hour'
    where record_key = 'Parcel/ready' and ready_xid is not null`);
  await room.enqueue(room.observer, 'other', 1);
  expect(await parcels()).toMatchObject({
    ready: 1,
    timed: 1,
    behind: 3,
    processing: 1,
    retrying: 1,
    dead: { refused: 3 },
    oldestAgeMs: expect.any(Number) as number,
  });
});

test('W27: a discarded dead letter is not a failure any more', async () => {
  await room.enqueue(room.observer, 'a', 1);
  await room.enqueue(room.observer, 'b', 1);
  await killHeads(worker);
  await discard(store, await idOf(room, 'a', 1), ANNA);
  expect((await parcels()).dead).toEqual({ refused: 1 });
});

test('W27: the oldest age is by the clock of the database, and the enqueue counts, not what the caller says of it', async () => {
  await room.enqueue(room.observer, 'a', 1);
  await room.query('alter table waybill.message disable trigger user');
  await room.query(`update waybill.message set enqueued_at = enqueued_at - interval '1 hour', occurred_at = 'epoch'`);
  await room.query('alter table waybill.message enable trigger user');
  const { oldestAgeMs } = await parcels();
  expect(oldestAgeMs).toBeGreaterThanOrEqual(3_600_000);
  expect(oldestAgeMs).toBeLessThan(2 * 3_600_000);
});

test('W27: a contract has a reader as long as a live dispatcher reads it', async () => {
  expect((await parcels()).hasReader).toBe(false);
  const id = await enter(PARCEL);
  expect((await parcels()).hasReader).toBe(true);
  await leaveDispatcher(store, id);
  expect((await parcels()).hasReader).toBe(false);
  await enter(NOTE);
  expect((await parcels()).hasReader).toBe(false);
});

test('W27: live dispatchers come in the order in which they registered; the silent and the leaving ones are not among them', async () => {
  const ids = [await enter(PARCEL), await enter(PARCEL), await enter(NOTE)];
  await room.query(
    `update waybill.dispatcher set seen_at = clock_timestamp() - interval '31 seconds' where id = $1::uuid`,
    [ids[2] ?? null],
  );
  const [first, second] = ids;
  expect((await liveDispatchers(store)).dispatchers.map(({ id }) => id)).toEqual([first, second]);
  await room.query('update waybill.dispatcher set draining = true where id = $1::uuid', [first ?? null]);
  expect((await liveDispatchers(store)).dispatchers.map(({ id }) => id)).toEqual([second]);
});

test('W27: recent attempts are those at messages that ended within the window', async () => {
  for (const key of ['a', 'b']) await room.enqueue(room.observer, key, 1);
  await drain(worker);
  await room.enqueue(room.observer, 'c', 1);
  await killHeads(worker);
  const { accepted, attempts } = await recentAttempts(store, 3_600_000);
  expect([accepted, attempts]).toEqual([2, 3]);
  await room.query(`update waybill.dispatched set dispatched_at = clock_timestamp() - interval '2 hours'`);
  expect(await recentAttempts(store, 3_600_000)).toEqual({ accepted: 0, attempts: attempts - accepted });
});
