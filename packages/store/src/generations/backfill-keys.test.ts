import { createReaders, defineContracts } from '@waybill/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { oldLibrary } from '../../test/generation-one.ts';
import { NoteTaken, ParcelMoved, testReaders } from '../../test/messages.ts';
import { openRoom, type Room } from '../../test/room.ts';
import { type Session, untilBlocked } from '../../test/session.ts';
import { auditWaiting } from '../operators/audit-waiting.ts';
import { sweep } from '../statements/sweep.ts';
import { backfillKeys } from './backfill-keys.ts';

let room: Room;
beforeAll(async () => {
  room = await openRoom();
});
afterEach(async () => {
  expect(await room.stranded(), 'waiting rows that nobody wakes').toBe(0);
  expect(await auditWaiting(room.store(room.observer))).toMatchObject({ waiting: 0, orphaned: 0, healed: 0 });
  await room.clear();
});
afterAll(() => room[Symbol.asyncDispose]());

/** Steps of a parcel as code without keys writes them. */
const keyless = (key: string, ...steps: readonly number[]) =>
  oldLibrary(room.observer, 'waybill').enqueue(ParcelMoved.type, 2, ...steps.map((step) => ({ id: key, step })));
const backfill = async (session?: Session) => backfillKeys(room.store(session ?? (await room.session())), testReaders);
const COMPLETE = { outcome: 'complete', deferred: 0, unreadable: [] };
const leases = () =>
  room.query(
    'select position, lease_owner, lease_expires_at, fence, record_key from waybill.delivery where lease_owner is not null',
  );

/** Delivers everything that is there, one record after the other. */
async function deliverAll(): Promise<readonly string[]> {
  const worker = await room.worker();
  const delivered: string[] = [];
  for (;;) {
    worker.claimer.forget();
    const { runs } = await worker.claim({ runLength: 1 });
    if (runs.length === 0) return delivered;
    for (const run of runs) {
      delivered.push(run.records[0]!.payload);
      await worker.settle(run);
    }
  }
}
const moves = (key: string, ...steps: readonly number[]) =>
  steps.map((step) => `{"id":"${key}","step":${String(step)}}`);

describe('Q09: the backfill', () => {
  test('Q09 Q06 I03: gives every message the key that enqueue would have given, and each its place in the order of its key', async () => {
    await keyless('a', 1, 2);
    await room.enqueue(await room.session(), 'a', 3, 4);
    await keyless('a', 5);
    await keyless('b', 1);
    await oldLibrary(room.observer, 'waybill').enqueue(NoteTaken.type, 1, { value: 'no order' });
    expect(await backfill()).toEqual({ ...COMPLETE, filled: 5 });
    expect(await room.rows('a')).toEqual(['1 ready', '2 waiting', '3 waiting', '4 waiting', '5 waiting']);
    expect(
      await room.query(
        `select record_key from waybill.message where record_key is distinct from 'Parcel/a' order by seq`,
      ),
    ).toEqual([{ record_key: 'Parcel/b' }, { record_key: '' }]);
    expect(await deliverAll()).toEqual(expect.arrayContaining([...moves('b', 1), '{"value":"no order"}']));
    expect(await room.rows('a')).toEqual([]);
    expect(await backfill()).toEqual({ ...COMPLETE, filled: 0 });
  });

  test('Q09 I03: what is delivered of a key afterwards comes in the order of writing', async () => {
    await keyless('a', 1, 2);
    await room.enqueue(await room.session(), 'a', 3);
    await keyless('a', 4);
    await backfill();
    expect(await deliverAll()).toEqual(moves('a', 1, 2, 3, 4));
  });

  test('Q09: reaches history too, in batches, and reports each', async () => {
    await keyless('a', 1, 2, 3, 4, 5);
    const worker = await room.worker();
    for (const run of (await worker.claim({ limit: 3 })).runs) await worker.settle(run);
    const progress: number[] = [];
    const result = await backfillKeys(room.store(await room.session()), testReaders, {
      batch: 2,
      onProgress: ({ filled }) => progress.push(filled),
    });
    expect([result, progress]).toEqual([{ ...COMPLETE, filled: 5 }, [2, 4, 5]]);
  });

  test('Q09: counts what it cannot read, leaves it, and goes on with a build that can', async () => {
    await keyless('a', 1);
    await oldLibrary(room.observer, 'waybill').enqueue(ParcelMoved.type, 2, { id: 'a' }, { id: '\u0001', step: 1 });
    const none = createReaders([defineContracts({ name: 'none', messages: [] })]);
    const store = room.store(await room.session());
    const unreadable = { type: ParcelMoved.type, version: 2 };
    expect(await backfillKeys(store, none)).toEqual({
      outcome: 'partial',
      filled: 0,
      deferred: 0,
      unreadable: [{ ...unreadable, why: 'unknown-type', count: 3 }],
    });
    expect(await backfillKeys(store, testReaders)).toEqual({
      outcome: 'partial',
      filled: 1,
      deferred: 0,
      unreadable: [
        { ...unreadable, why: 'invalid', count: 1 },
        { ...unreadable, why: 'record-key-invalid', count: 1 },
      ],
    });
  });

  test('Q09: stops at a signal between two batches, and another one goes on', async () => {
    await keyless('a', 1, 2, 3);
    const stop = new AbortController();
    const options = { batch: 1, signal: stop.signal, onProgress: () => stop.abort() };
    const store = room.store(await room.session());
    expect(await backfillKeys(store, testReaders, options)).toEqual({ outcome: 'cancelled', filled: 1 });
    expect(await backfill()).toEqual({ ...COMPLETE, filled: 2 });
  });

  test('Q09 I06: changes nothing else of a message', async () => {
    await keyless('a', 1);
    const rest = `select to_jsonb(m) - 'record_key' as message, payload::text from waybill.message m`;
    const before = await room.query(rest);
    await backfill();
    expect(await room.query(rest)).toEqual(before);
  });

  test('Q09: a retry that is not due and a delay keep their time', async () => {
    await keyless('a', 1, 2);
    const worker = await room.worker();
    for (const run of (await worker.claim({})).runs)
      await worker.settle(run, 0, { then: 'retry', delayMs: 3_600_000, error: 'busy' });
    await backfill();
    expect(await room.rows('a')).toEqual(['1 timed', '2 waiting']);
    await room.query(`update waybill.delivery set due_at = clock_timestamp() where due_at is not null`);
    expect(await worker.take()).toEqual(['a:1']);
    const [{ waits }] = (await room.query(
      `select not_before > clock_timestamp() + interval '50 minutes' as waits from waybill.delivery order by position desc limit 1`,
    )) as [{ waits: boolean }];
    expect(waits).toBe(true);
  });
});

describe('Q09: the backfill beside others', () => {
  test.each(['live', 'expired'])(
    'Q09 I02: beside a claim of the same row, whose %s lease it never touches',
    async (lease) => {
      await keyless('a', 1, 2);
      const worker = await room.worker();
      await worker.session.begin();
      const { runs } = await worker.claim({ limit: 1 });
      // The claim holds the row, uncommitted: the whole key is left for later.
      expect(await backfill()).toEqual({ outcome: 'partial', filled: 0, deferred: 2, unreadable: [] });
      await worker.session.commit();
      if (lease === 'expired') await room.expireLeases();
      const before = await leases();
      expect(await backfill()).toMatchObject({ filled: 0, deferred: 2 });
      expect(await leases()).toEqual(before);
      expect(await worker.settle(runs[0]!, 0, { then: 'retry', delayMs: 0, error: 'busy' })).toMatchObject({
        status: 'settled',
      });
      expect(await backfill()).toEqual({ ...COMPLETE, filled: 2 });
      expect(await deliverAll()).toEqual(moves('a', 1, 2));
    },
  );

  test('Q09 I03: a claimed head of the key keeps its lease and its run, older rows wait for it', async () => {
    await keyless('a', 1);
    await room.enqueue(await room.session(), 'a', 2, 3);
    const worker = await room.worker();
    const runs = (await worker.claim({})).runs.filter(({ recordKey }) => recordKey !== '');
    const before = await leases();
    expect(await backfill()).toMatchObject({ filled: 0, deferred: 1 });
    expect(await leases()).toEqual(before);
    await worker.settle(runs[0]!);
  });

  test('Q09 I03: a claim that is under way beside it does not take what has become a follower', async () => {
    await keyless('a', 1, 2);
    const [filling, worker] = [await room.session(), await room.worker()];
    await filling.begin();
    await backfill(filling);
    expect(await worker.take()).toEqual([]);
    await filling.commit();
    // Also below the floor that this claim has left behind.
    expect(await worker.take({ runLength: 1 })).toEqual(['a:1']);
    expect(await worker.take()).toEqual([]);
  });

  test('Q09 I03: beside a settlement of the same key, which wakes what follows', async () => {
    await room.enqueue(await room.session(), 'a', 1, 2);
    await keyless('a', 3);
    const worker = await room.worker();
    const { runs } = await worker.claim({ limit: 1, runLength: 1 });
    await worker.session.begin();
    await worker.settle(runs[0]!);
    expect(await backfill()).toMatchObject({ filled: 0, deferred: 1 });
    await worker.session.commit();
    expect(await backfill()).toEqual({ ...COMPLETE, filled: 1 });
    expect(await room.rows('a')).toEqual(['2 ready', '3 waiting']);
    expect(await deliverAll()).toEqual(moves('a', 2, 3));
  });

  test('Q09 I03: while it holds the guard a settlement leaves a tombstone, which wakes the rows that it has put in', async () => {
    await keyless('b', 1);
    await room.enqueue(await room.session(), 'b', 2);
    const worker = await room.worker();
    const keyed = (await worker.claim({ runLength: 1 })).runs;
    await worker.settle(keyed[0]!, 0);
    const filling = await room.session();
    await filling.begin();
    expect(await backfill(filling)).toMatchObject({ filled: 0, deferred: 1 });
    await worker.settle(keyed[1]!);
    await filling.commit();
    expect(await room.rows('b')).toEqual(['2 tombstone']);
    // Row 1 is older than the tombstone, which would wake what is behind it.
    expect(await backfill()).toMatchObject({ filled: 0, deferred: 1 });
    expect(
      await room.query('select 1 from waybill.delivery where record_key is null and ready_xid is not null'),
    ).toHaveLength(1);
    await keyless('b', 3);
    expect(await backfill()).toMatchObject({ filled: 0, deferred: 2 });
    await sweep(room.observer, room.store(room.observer), { most: 10, retryMs: 0 });
    expect(await backfill()).toEqual({ ...COMPLETE, filled: 2 });
    expect(await room.rows('b')).toEqual(['1 ready', '3 waiting']);
  });

  test('Q09 I03: rows behind a tombstone wait for its sweep', async () => {
    await room.enqueue(await room.session(), 'a', 1);
    await keyless('a', 2);
    const worker = await room.worker();
    const run = (await worker.claim({})).runs.find(({ recordKey }) => recordKey !== '');
    const other = (await worker.claim({})).runs;
    expect(other).toEqual([]);
    const late = await room.session();
    // Outside READ COMMITTED nothing is sure, so there is a tombstone.
    await late.begin('repeatable read');
    await worker.settle(run!, 1, { then: 'release' }, late);
    await late.commit();
    await room.query(
      'update waybill.delivery set lease_owner = null, lease_expires_at = null, run_to = null where lease_owner is not null',
    );
    expect(await backfill()).toEqual({ ...COMPLETE, filled: 1 });
    expect(await room.rows('a')).toEqual(['1 tombstone', '2 waiting']);
    await sweep(room.observer, room.store(room.observer), { most: 10, retryMs: 0 });
    expect(await room.rows('a')).toEqual(['2 ready']);
  });

  test('Q09 Q10: an enqueue of the same key waits for it, and its message comes last', async () => {
    await keyless('a', 1, 2);
    const [filling, writer] = [await room.session(), await room.session()];
    await filling.begin();
    await backfill(filling);
    const enqueueing = room.enqueue(writer, 'a', 3);
    await untilBlocked(room.observer, writer, enqueueing);
    await filling.commit();
    await enqueueing;
    expect(await room.rows('a')).toEqual(['1 ready', '2 waiting', '3 waiting']);
  });

  test('Q09 Q10: it waits for an enqueue of the same key that is under way, and sees its message', async () => {
    await keyless('a', 1);
    const [writer, filling] = [await room.session(), await room.session()];
    await writer.begin();
    await room.enqueue(writer, 'a', 2);
    const backfilling = backfill(filling);
    await untilBlocked(room.observer, filling, backfilling);
    await writer.commit();
    expect(await backfilling).toEqual({ ...COMPLETE, filled: 1 });
    expect(await room.rows('a')).toEqual(['1 ready', '2 waiting']);
  });

  test('Q09: one that dies half-way leaves everything as it was', async () => {
    await keyless('a', 1, 2);
    const filling = await room.session();
    await filling.begin();
    await backfill(filling);
    await filling.rollback();
    expect(
      await room.query('select 1 from waybill.delivery where record_key is null and ready_xid is not null'),
    ).toHaveLength(2);
    expect(await backfill()).toEqual({ ...COMPLETE, filled: 2 });
  });

  test('Q09: two at once never wait in a circle and fill everything once', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await keyless(key, 1, 2, 3);
    const results = await Promise.all([backfill(), backfill(), backfill()]);
    expect(results.map(({ outcome }) => outcome)).not.toContain('cancelled');
    expect(await backfill()).toMatchObject({ outcome: 'complete' });
    expect(await room.rows('c')).toEqual(['1 ready', '2 waiting', '3 waiting']);
  });
});
