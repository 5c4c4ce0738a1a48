import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';

import { ANNA, drain, idOf, killHeads, states } from '../../test/dead.ts';
import { openRoom } from '../../test/room.ts';
import type { Worker } from '../../test/worker.ts';
import { registerContracts } from '../contracts.ts';
import { discard } from './discard.ts';
import { purge } from './purge.ts';
import { replay } from './replay.ts';

const room = await openRoom();
const store = room.store(room.observer);
let worker: Worker;
beforeEach(async () => {
  worker = await room.worker();
});
afterEach(() => room.clear());
afterAll(() => room[Symbol.asyncDispose]());

const YEAR_MS = 365 * 24 * 3_600_000;

/** Moves all that happened so far 400 days into the past. */
async function age(): Promise<void> {
  const ago = `- interval '400 days'`;
  await room.query('alter table waybill.message disable trigger message_is_immutable');
  await room.query(`update waybill.message set enqueued_at = enqueued_at ${ago}`);
  await room.query('alter table waybill.message enable trigger message_is_immutable');
  await room.query(`update waybill.dispatched set dispatched_at = dispatched_at ${ago}`);
  await room.query(`update waybill.dead_letter set failed_at = failed_at ${ago}, discarded_at = discarded_at ${ago}`);
}

const keys = async (): Promise<readonly unknown[]> =>
  (await room.query('select record_key from waybill.message order by record_key')).map((row) => row['record_key']);

test('F047 S05: only what has ended goes, whatever the age of the rest', async () => {
  await room.enqueue(room.observer, 'done', 1);
  await drain(worker);
  for (const key of ['dead', 'discarded', 'replayed']) await room.enqueue(room.observer, key, 1);
  await killHeads(worker);
  await discard(store, await idOf(room, 'discarded', 1), ANNA);
  await replay(store, await idOf(room, 'replayed', 1), ANNA);
  await drain(worker);
  await room.enqueue(room.observer, 'leased', 1, 2);
  await worker.claim();
  await room.enqueue(room.observer, 'pending', 1, 2);
  await room.query(
    `update waybill.delivery set ready_xid = null, due_at = 'tomorrow' where record_key = 'Parcel/pending' and ready_xid is not null`,
  );
  await age();
  await room.enqueue(room.observer, 'young', 1);
  await room.query(`update waybill.delivery set due_at = 'tomorrow' where due_at is not null`);
  await drain(worker);

  expect(await purge(store, { dispatchedOlderThanMs: YEAR_MS, batch: 1 })).toEqual({
    dispatched: 2,
    dead: 0,
    inbox: 0,
  });
  expect(await keys()).toEqual(
    ['dead', 'discarded', 'leased', 'leased', 'pending', 'pending', 'young'].map((key) => `Parcel/${key}`),
  );
  expect(
    await room.query('select 1 from waybill.dead_letter'),
    'the history of the replayed one has gone with it',
  ).toHaveLength(2);
  expect(await room.query('select 1 from waybill.replay'), 'who did what stays').toHaveLength(1);

  expect(await purge(store, { dispatchedOlderThanMs: YEAR_MS, dead: { olderThanMs: YEAR_MS, by: ANNA } })).toEqual({
    dispatched: 0,
    dead: 1,
    inbox: 0,
  });
  expect(await states(room, 'discarded')).toEqual([]);
  expect(await states(room, 'dead')).toEqual(['1 dead-letter']);
  expect(
    await purge(store, { dispatchedOlderThanMs: YEAR_MS, dead: { olderThanMs: YEAR_MS, open: true, by: ANNA } }),
  ).toMatchObject({ dead: 1 });
  expect(await room.query(`select actor, reason, action from waybill.audit where action like 'purge%'`)).toEqual(
    Array(2).fill({ ...ANNA, action: 'purge-dead-letters' }),
  );
  expect(await keys()).toEqual(['leased', 'leased', 'pending', 'pending', 'young'].map((key) => `Parcel/${key}`));
});

test('F047 S10: a dead letter that holds its key stays', async () => {
  const contract = { type: 'test.parcel-moved', version: 2, kind: 'integration-event' } as const;
  await registerContracts(store, [{ ...contract, headPolicy: 'hold' }], 'test');
  await room.enqueue(room.observer, 'k', 1, 2);
  await killHeads(worker);
  await age();
  expect(await purge(store, { dispatchedOlderThanMs: 1, dead: { olderThanMs: 1, open: true, by: ANNA } })).toEqual({
    dispatched: 0,
    dead: 0,
    inbox: 0,
  });
  await registerContracts(store, [{ ...contract, headPolicy: 'continue' }], 'test');
});

test('F023 S05: a purge passes by what an operator replays at the same moment', async () => {
  await room.enqueue(room.observer, 'k', 1);
  const [id] = await killHeads(worker);
  await age();
  const operator = await room.session();
  await operator.begin();
  await operator.query(`select * from waybill.replay(array(select id from waybill.dead_letter), true)`);
  const purged = await purge(store, { dispatchedOlderThanMs: 1, dead: { olderThanMs: 1, open: true, by: ANNA } });
  await operator.commit();
  expect(purged).toEqual({ dispatched: 0, dead: 0, inbox: 0 });
  expect(await idOf(room, 'k', 1)).toBe(id);
  expect(await drain(worker)).toEqual(['k:1']);
});

test('F047: senseless ages are refused', async () => {
  for (const ms of [0, -1, Number.NaN, 0.5]) {
    await expect(purge(store, { dispatchedOlderThanMs: ms })).rejects.toMatchObject({ code: 'STO_INVALID_OPTION' });
    await expect(purge(store, { dispatchedOlderThanMs: 1, dead: { olderThanMs: ms, by: ANNA } })).rejects.toMatchObject(
      { code: 'STO_INVALID_OPTION' },
    );
  }
  await expect(
    purge(store, { dispatchedOlderThanMs: 1, dead: { olderThanMs: 1, by: { actor: '', reason: '' } } }),
  ).rejects.toMatchObject({
    code: 'STO_INVALID_OPTION',
  });
});

test('S05: it can be stopped between batches', async () => {
  await room.enqueue(room.observer, 'k', 1);
  await drain(worker);
  await age();
  expect(await purge(store, { dispatchedOlderThanMs: 1, signal: AbortSignal.abort() })).toEqual({
    dispatched: 0,
    dead: 0,
    inbox: 0,
  });
  expect(await states(room, 'k')).toEqual(['1 dispatched']);
});
