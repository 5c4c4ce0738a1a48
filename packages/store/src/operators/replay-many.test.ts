import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';

import { ANNA, drain, idOf, killHeads } from '../../test/dead.ts';
import { openRoom } from '../../test/room.ts';
import type { Worker } from '../../test/worker.ts';
import { auditWaiting } from './audit-waiting.ts';
import { discard } from './discard.ts';
import { replay } from './replay.ts';
import { countReplayable, replayMany } from './replay-many.ts';

const room = await openRoom();
const store = room.store(room.observer);
let worker: Worker;
beforeEach(async () => {
  worker = await room.worker();
});
afterEach(async () => {
  expect(await auditWaiting(store), 'I03: nobody waits behind nobody').toMatchObject({ waiting: 0, orphaned: 0 });
  await room.clear();
});
afterAll(() => room[Symbol.asyncDispose]());

/** Lets every message that is there die, key by key in order. */
async function killAll(): Promise<void> {
  while ((await killHeads(worker)).length > 0);
}

const auditRows = (): Promise<readonly Record<string, unknown>[]> =>
  room.query('select action, what, before from waybill.audit order by id');

test('F086 I03: each key keeps its order over many batches, and each batch is audited', async () => {
  await room.enqueue(room.observer, 'a', 1, 2, 3);
  await room.enqueue(room.observer, 'b', 1, 2);
  await killAll();
  const progress: number[] = [];
  const result = await replayMany(
    store,
    { filter: {}, expectedCount: 5, batch: 2, onProgress: (replayed) => progress.push(replayed) },
    ANNA,
  );
  expect(result).toEqual({ status: 'done', replayed: 5, gone: 0, busy: 0 });
  expect(progress).toEqual([2, 4, 5]);
  expect(await auditRows()).toMatchObject([
    { before: [{}, {}] },
    { before: [{}, {}] },
    { before: [{ error: 'refused by test' }] },
  ]);
  expect(await room.query('select 1 from waybill.replay')).toHaveLength(5);
  const delivered = await drain(worker);
  expect(delivered.filter((step) => step.startsWith('a'))).toEqual(['a:1', 'a:2', 'a:3']);
  expect(delivered.filter((step) => step.startsWith('b'))).toEqual(['b:1', 'b:2']);
});

test('O03: a moved count is a value, and nothing is done', async () => {
  await room.enqueue(room.observer, 'a', 1);
  await killAll();
  expect(await countReplayable(store, {})).toEqual({ count: 1, capped: false });
  expect(await replayMany(store, { filter: {}, expectedCount: 2 }, ANNA)).toEqual({
    status: 'count-moved',
    count: 1,
    capped: false,
  });
  expect(await auditRows()).toEqual([]);
  expect(await countReplayable(store, {})).toEqual({ count: 1, capped: false });
});

test('F086: chosen by type, version, reason, key and time, and only what is open', async () => {
  await room.enqueue(room.observer, 'a', 1);
  await room.enqueue(room.observer, 'b', 1);
  await room.query(
    `select * from waybill.enqueue('[{"type": "test.note-taken", "version": 1, "payload": {"value": 1}}]')`,
  );
  await killHeads(worker, 'unreadable');
  await room.enqueue(room.observer, 'c', 1);
  await killHeads(worker, 'refused');
  await discard(store, await idOf(room, 'b', 1), ANNA);
  await room.query(`update waybill.dead_letter set failed_at = '2020-01-01' where reason = 'unreadable'`);
  const count = async (filter: Parameters<typeof countReplayable>[1]): Promise<number> =>
    (await countReplayable(store, filter)).count;
  expect({
    all: await count({}),
    type: await count({ type: 'test.parcel-moved' }),
    version: await count({ type: 'test.parcel-moved', version: 1 }),
    reason: await count({ reason: 'refused' }),
    key: await count({ recordKey: 'Parcel/a' }),
    discarded: await count({ recordKey: 'Parcel/b' }),
    after: await count({ failedAfter: new Date('2020-01-02') }),
    before: await count({ failedBefore: new Date('2020-01-01T00:00:00Z') }),
    both: await count({ type: 'test.parcel-moved', failedBefore: new Date('2020-01-02') }),
  }).toEqual({ all: 3, type: 2, version: 0, reason: 1, key: 1, discarded: 0, after: 1, before: 0, both: 1 });

  expect(await replayMany(store, { filter: { recordKey: 'Parcel/a' }, expectedCount: 1 }, ANNA)).toMatchObject({
    replayed: 1,
  });
  expect(await drain(worker)).toEqual(['a:1']);
});

test('O03: it can be cancelled between batches, limited and throttled', async () => {
  await room.enqueue(room.observer, 'a', 1, 2, 3, 4, 5);
  await killAll();
  expect(await replayMany(store, { filter: {}, expectedCount: 5, limit: 1 }, ANNA)).toMatchObject({
    status: 'done',
    replayed: 1,
  });
  const cancelling = new AbortController();
  const pauses: number[] = [];
  const sleep = (ms: number): Promise<void> => {
    pauses.push(ms);
    cancelling.abort();
    return Promise.resolve();
  };
  const request = { filter: {}, expectedCount: 4, batch: 2, maxPerSecond: 10, signal: cancelling.signal };
  expect(await replayMany(store, request, ANNA, { sleep })).toEqual({
    status: 'cancelled',
    replayed: 2,
    gone: 0,
    busy: 0,
  });
  expect(pauses).toEqual([200]);
  expect(await drain(worker)).toEqual(['a:1', 'a:2', 'a:3']);
});

test('I03: a key in the hands of a writer is taken last, in order, and holds up no other', async () => {
  await room.enqueue(room.observer, 'a', 1, 2, 3);
  await room.enqueue(room.observer, 'b', 1);
  await killAll();
  const writer = await room.session();
  await writer.begin();
  await room.enqueue(writer, 'a', 4);
  const progress: number[] = [];
  const onProgress = (replayed: number): void => {
    progress.push(replayed);
    // The last batch is over: only now does the writer end.
    if (progress.length === 4) void writer.commit();
  };
  const result = await replayMany(store, { filter: {}, expectedCount: 4, batch: 1, onProgress }, ANNA);
  expect(progress, 'the other key alone').toEqual([0, 0, 0, 1]);
  expect(result).toEqual({ status: 'done', replayed: 4, gone: 0, busy: 0 });
  const delivered = await drain(worker);
  expect(delivered.filter((step) => step.startsWith('a'))).toEqual(['a:4', 'a:1', 'a:2', 'a:3']);
});

test('F023: what somebody else replays meanwhile is not replayed again', async () => {
  await room.enqueue(room.observer, 'a', 1);
  await room.enqueue(room.observer, 'b', 1);
  await killAll();
  const other = await idOf(room, 'b', 1);
  let once: Promise<unknown> | undefined;
  const result = await replayMany(store, { filter: {}, expectedCount: 2, batch: 1, maxPerSecond: 1 }, ANNA, {
    sleep: async () => {
      await (once ??= replay(store, other, ANNA));
    },
  });
  expect(result).toEqual({ status: 'done', replayed: 1, gone: 0, busy: 0 });
  expect(await drain(worker)).toEqual(['a:1', 'b:1']);
});

test('F086: what dies again during the operation is not replayed a second time', async () => {
  await room.enqueue(room.observer, 'a', 1);
  await room.enqueue(room.observer, 'b', 1);
  await killAll();
  const result = await replayMany(store, { filter: {}, expectedCount: 2, batch: 1, maxPerSecond: 1 }, ANNA, {
    sleep: async () => {
      await killHeads(worker);
    },
  });
  expect(result).toMatchObject({ status: 'done', replayed: 2 });
  expect(await countReplayable(store, {})).toEqual({ count: 2, capped: false });
});

test('O03: senseless bounds are refused', async () => {
  for (const bad of [{ limit: 0 }, { batch: -1 }, { maxPerSecond: Number.NaN }]) {
    await expect(replayMany(store, { filter: {}, expectedCount: 0, ...bad }, ANNA)).rejects.toMatchObject({
      code: 'STO_INVALID_OPTION',
    });
  }
});
