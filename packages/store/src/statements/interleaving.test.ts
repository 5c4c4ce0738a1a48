/** Interleavings that broke earlier forms of the claim, each held still step by step on real connections. */
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { openRoom, PARCEL } from '../../test/room.ts';
import { type Session, untilBlocked } from '../../test/session.ts';
import { settle } from './settle.ts';
import { sweep } from './sweep.ts';

/** Tests beside this one end their transactions within a second or two; a loaded machine takes longer. */
const WAIT_MS = 30_000;
const room = await openRoom();
let writer: Session;
let other: Session;
beforeEach(async () => {
  [writer, other] = await Promise.all([room.session(), room.session()]);
});
afterEach(async () => {
  const stranded = await room.stranded();
  await room.clear();
  expect(stranded, 'waiting rows that nobody will wake').toBe(0);
});
afterAll(() => room[Symbol.asyncDispose]());

const sweepAll = (): Promise<number> => sweep(room.observer, room.store(room.observer), { most: 100, retryMs: 0 });

describe('finding 1: settlement with an old snapshot', () => {
  test.each(['repeatable read', 'serializable'])(
    'I02 I03 Q10 finding 1: a settlement in %s that cannot see the successor leaves a tombstone',
    async (isolation) => {
      await room.enqueue(writer, 'k', 1);
      const worker = await room.worker();
      const [run] = (await worker.claim()).runs;
      await worker.session.begin(isolation);
      await worker.session.query('select 1 from waybill.message');
      await room.enqueue(writer, 'k', 2);
      await worker.settle(run!);
      await worker.session.commit();
      expect(await room.rows('k')).toEqual(['1 tombstone', '2 waiting']);
      expect((await worker.claim()).sweepDue).toBe(true);
      expect(await sweepAll()).toBe(1);
      expect(await worker.take()).toEqual(['k:2']);
    },
  );

  test('I02 finding 1: in read committed the writer in flight keeps the guard, and the settlement leaves a tombstone', async () => {
    await room.enqueue(writer, 'k', 1);
    const worker = await room.worker();
    const [run] = (await worker.claim()).runs;
    await writer.begin();
    await room.enqueue(writer, 'k', 2);
    await worker.settle(run!);
    expect(await room.rows('k')).toEqual(['1 tombstone']);
    expect(await sweepAll(), 'the guard is still taken').toBe(0);
    await writer.commit();
    expect(await room.rows('k')).toEqual(['1 tombstone', '2 waiting']);
    expect(await sweepAll()).toBe(1);
    expect(await worker.take()).toEqual(['k:2']);
  });

  test('I02 finding 1: a writer that commits between the first look and the guard is seen by the second look', async () => {
    // The first look wakes the successor of another key too, and a trigger holds that up until the test says so.
    await room.query(
      `create function hold() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(1); return new; end $$;
       create trigger hold before update on waybill.delivery for each row when (old.ready_xid is null and new.ready_xid is not null) execute function hold()`,
    );
    await room.enqueue(writer, 'held up', 1, 2);
    await room.enqueue(writer, 'k', 1);
    const worker = await room.worker();
    const { runs } = await worker.claim({ runLength: 1 });
    await other.query('select pg_advisory_lock(1)');
    const settled = settle(
      worker.session,
      room.store(worker.session),
      worker.owner,
      runs.map(({ head, fence }) => ({ head, fence, delivered: [head], next: { then: 'release' } })),
    );
    await untilBlocked(room.observer, worker.session, settled);
    await room.enqueue(writer, 'k', 2);
    await other.query('select pg_advisory_unlock(1)');
    await settled;
    await room.query('drop function hold cascade');
    expect(await room.rows('k')).toEqual(['2 ready']);
  });

  test('I02 finding 1: the tombstone goes away when that writer rolls back', async () => {
    await room.enqueue(writer, 'k', 1);
    const worker = await room.worker();
    const [run] = (await worker.claim()).runs;
    await writer.begin();
    await room.enqueue(writer, 'k', 2);
    await worker.settle(run!);
    await writer.rollback();
    expect(await sweepAll()).toBe(1);
    expect(await room.rows('k')).toEqual([]);
  });

  test.each([
    [
      'claim',
      (session: Session) =>
        session.query(
          `select * from waybill.claim(gen_random_uuid(), 1, 1, 1, 1000, true, '{1}', '{0}', '{0}', '{}', '{}', '{-infinity}')`,
        ),
    ],
    ['sweep', (session: Session) => session.query('select waybill.sweep(1, 0)')],
  ])('F053 finding 1: %s refuses a snapshot that may be old', async (_what, call) => {
    await other.begin('repeatable read');
    await expect(call(other)).rejects.toMatchObject({ code: 'WB003' });
    await other.rollback();
  });
});

describe('finding 2: one lease for a whole run', () => {
  test('I03 Q10 finding 2: a run taken over in part is lost to its first owner as a whole', async () => {
    await room.enqueue(writer, 'k', 1, 2, 3);
    const first = await room.worker();
    const second = await room.worker();
    const [run] = (await first.claim()).runs;
    await room.expireLeases();
    expect(await second.take({ runLength: 1 }), 'the head alone').toEqual(['k:1']);
    expect(await room.rows('k')).toEqual(['1 leased', '2 waiting', '3 waiting']);
    expect(await first.settle(run!)).toMatchObject({ status: 'lease-lost' });
    expect(await room.rows('k')).toEqual(['1 leased', '2 waiting', '3 waiting']);
  });

  test('I03 finding 2: while a run is leased, nobody gets any record of its key', async () => {
    await room.enqueue(writer, 'k', 1, 2, 3);
    const first = await room.worker();
    const second = await room.worker();
    const [run] = (await first.claim({ runLength: 2 })).runs;
    expect(run?.records).toHaveLength(2);
    await room.enqueue(writer, 'k', 4);
    second.claimer.forget();
    expect(await second.take()).toEqual([]);
  });

  test('I03 finding 2: a partial settlement moves the one lease on, under the same fence', async () => {
    await room.enqueue(writer, 'k', 1, 2, 3);
    const worker = await room.worker();
    const [run] = (await worker.claim()).runs;
    const result = await worker.settle(run!, 1, { then: 'keep' });
    expect(result).toEqual({ head: run!.head, status: 'settled', keptHead: run!.records[1]!.position });
    expect(await room.rows('k')).toEqual(['2 leased', '3 waiting']);
    const rest = { ...run!, head: run!.records[1]!.position, records: run!.records.slice(1) };
    expect(await worker.settle(rest)).toEqual({ head: rest.head, status: 'settled', keptHead: null });
    expect(await room.rows('k')).toEqual([]);
  });

  test('I03 finding 2: the fence of a key only grows, over partial settlement, release and wake', async () => {
    await room.enqueue(writer, 'k', 1, 2, 3, 4);
    const worker = await room.worker();
    const fences: bigint[] = [];
    for (const next of ['keep', 'release', 'wake'] as const) {
      const [run] = (await worker.claim({ runLength: next === 'wake' ? 1 : 2 })).runs;
      fences.push(BigInt(run!.fence));
      if (next === 'keep') await worker.settle(run!, 1, { then: 'release' });
      else if (next === 'release') await worker.settle(run!, 0, { then: 'release' });
      else await worker.settle(run!);
    }
    const [last] = (await worker.claim()).runs;
    fences.push(BigInt(last!.fence));
    expect(fences).toEqual([1n, 2n, 3n, 4n]);
  });
});

test('I02 finding 3: a successor wakes whatever its own lease columns say, after a crash in mid run too', async () => {
  await room.enqueue(writer, 'k', 1, 2, 3);
  const crashed = await room.worker();
  const [run] = (await crashed.claim()).runs;
  await crashed.settle(run!, 1, { then: 'keep' });
  await room.expireLeases();
  const next = await room.worker();
  const [second] = (await next.claim({ runLength: 1 })).runs;
  expect(second?.records).toHaveLength(1);
  await next.settle(second!);
  expect(await next.take()).toEqual(['k:3']);
});

describe('finding 4: writers with an old snapshot', () => {
  test.each(['repeatable read', 'serializable'])(
    'I02 finding 4: a %s writer that still sees a settled head does not wait behind it',
    async (isolation) => {
      await room.enqueue(writer, 'k', 1);
      const worker = await room.worker();
      await other.begin(isolation);
      await other.query('select 1 from waybill.delivery');
      const [run] = (await worker.claim()).runs;
      await worker.settle(run!);
      await room.enqueue(other, 'k', 2);
      await other.commit();
      expect(await room.rows('k')).toEqual(['2 ready']);
      expect(await worker.take()).toEqual(['k:2']);
    },
  );

  test('finding 4: read uncommitted counts as read committed', async () => {
    await room.enqueue(writer, 'k', 1);
    await other.begin('read uncommitted');
    await room.enqueue(other, 'k', 2);
    await other.commit();
    expect(await room.rows('k')).toEqual(['1 ready', '2 waiting']);
  });

  test('F053 finding 4: serializable writers of different keys do not abort each other', async () => {
    await writer.begin('serializable');
    await other.begin('serializable');
    await room.enqueue(writer, 'a', 1);
    await room.enqueue(other, 'b', 1);
    await writer.commit();
    await other.commit();
    expect([await room.rows('a'), await room.rows('b')]).toEqual([['1 ready'], ['1 ready']]);
  });
});

describe('finding 5: the successor that a settlement chose goes away or is locked', () => {
  test('I02 finding 5: a tombstone keeps the key when somebody holds the successor', async () => {
    await room.enqueue(writer, 'k', 1, 2, 3);
    const worker = await room.worker();
    // Whoever waits for the row fails, and does not hang.
    await worker.session.query(`set lock_timeout = '5s'`);
    const [run] = (await worker.claim({ runLength: 1 })).runs;
    await other.begin();
    await other.query(`delete from waybill.delivery where position = (select max(position) - 1 from waybill.delivery)`);
    await worker.settle(run!);
    expect(await room.rows('k'), 'nothing waited').toEqual(['1 tombstone', '2 waiting', '3 waiting']);
    await other.commit();
    expect(await room.rows('k')).toEqual(['1 tombstone', '3 waiting']);
    await sweepAll();
    expect(await worker.take()).toEqual(['k:3']);
  });

  test('I02 finding 5: two settlements of one run in two transactions leave nothing behind', async () => {
    await room.enqueue(writer, 'k', 1, 2, 3);
    const worker = await room.worker();
    const [run] = (await worker.claim({ runLength: 2 })).runs;
    await other.begin();
    await worker.settle(run!, 1, { then: 'keep' }, other);
    const rest = { ...run!, head: run!.records[1]!.position, records: run!.records.slice(1) };
    expect(await worker.settle(rest), 'the lease has not moved yet').toMatchObject({ status: 'lease-lost' });
    await other.commit();
    expect(await worker.settle(rest)).toMatchObject({ status: 'settled' });
    expect(await worker.take()).toEqual(['k:3']);
  });
});

describe('finding 6: ready rows that are no heads', () => {
  test('I02 Q10 finding 6: hundreds of them behind a stuck head do not use up the window of the others', async () => {
    await room.enqueue(writer, 'stuck', 0);
    const stuck = await room.worker();
    await stuck.claim();
    for (let n = 1; n <= 60; n += 1) {
      await other.begin('repeatable read');
      await room.enqueue(other, 'stuck', n);
      await other.commit();
    }
    expect((await room.rows('stuck')).filter((row) => row.endsWith('ready'))).toHaveLength(60);
    for (let n = 0; n < 20; n += 1) await room.enqueue(writer, `free${String(n)}`, 1);
    const worker = await room.worker();
    const taken: string[] = [];
    for (let claims = 0; claims < 12; claims += 1) taken.push(...(await worker.take({ limit: 10 })));
    expect(taken).toHaveLength(20);
    expect(
      (await room.rows('stuck')).filter((row) => row.endsWith('ready')),
      'put back to waiting',
    ).toEqual([]);
  });

  test('I02 finding 6: such a row stays ready while its elder cannot be locked, and is found again when the elder ends', async () => {
    await room.enqueue(writer, 'k', 1);
    const first = await room.worker();
    const [run] = (await first.claim()).runs;
    await other.begin('repeatable read');
    await room.enqueue(other, 'k', 2);
    await other.commit();
    await first.session.begin();
    await first.settle(run!);
    const second = await room.worker();
    expect(await second.take(), 'its elder is being settled').toEqual([]);
    expect(await room.rows('k')).toEqual(['1 leased', '2 ready']);
    await first.session.commit();
    expect(await second.take(), 'stamped anew by the settlement, above the floor').toEqual(['k:2']);
  });

  test('Q10 finding 6: a delayed row of such a writer is put back too, and comes when it is due', async () => {
    await room.enqueue(writer, 'k', 1);
    const worker = await room.worker();
    const [run] = (await worker.claim()).runs;
    await other.begin('repeatable read');
    await room.enqueue(other, 'k', 2);
    await other.query(
      `update waybill.delivery set ready_xid = null, due_at = clock_timestamp(), not_before = clock_timestamp() where not checked`,
    );
    await other.commit();
    expect(await worker.take()).toEqual([]);
    expect(await room.rows('k')).toEqual(['1 leased', '2 waiting']);
    await worker.settle(run!);
    expect(await worker.take()).toEqual(['k:2']);
  });
});

test('I02 finding 7: a sweep wakes a visible successor without the guard, which writers may hold for ever', async () => {
  await room.enqueue(writer, 'k', 1);
  const worker = await room.worker();
  const [run] = (await worker.claim()).runs;
  await writer.begin();
  await room.enqueue(writer, 'k', 2);
  await worker.settle(run!);
  await other.begin();
  const queued = room.enqueue(other, 'k', 3);
  await untilBlocked(room.observer, other, queued);
  await writer.commit();
  await queued;
  expect(await room.rows('k')).toEqual(['1 tombstone', '2 waiting']);
  expect(await sweepAll()).toBe(1);
  expect(await worker.take()).toEqual(['k:2']);
  await other.commit();
  expect(await room.rows('k')).toEqual(['2 leased', '3 waiting']);
});

describe('finding 8: somebody forgot a transaction', () => {
  test('Q02 finding 8: a locked follower stops neither claims nor settlements', async () => {
    await room.enqueue(writer, 'k', 1, 2);
    await room.enqueue(writer, 'free', 1);
    await other.begin();
    await other.query(`select 1 from waybill.delivery where ready_xid is null for update`);
    const worker = await room.worker();
    await worker.session.query(`set lock_timeout = '10s'`);
    const { runs } = await worker.claim({ runLength: 1 });
    expect(runs.map((run) => run.recordKey)).toEqual(['Parcel/k', 'Parcel/free']);
    for (const run of runs) expect(await worker.settle(run)).toMatchObject({ status: 'settled' });
    await other.rollback();
    await sweepAll();
    expect(await worker.take()).toEqual(['k:2']);
  });

  test('finding 8: a late settlement and the claim that takes its run over do not wait for each other', async () => {
    await room.enqueue(writer, 'k', 1, 2);
    const late = await room.worker();
    const [run] = (await late.claim()).runs;
    await room.expireLeases();
    const next = await room.worker();
    await next.session.begin();
    expect(await next.take()).toEqual(['k:1,2']);
    const settled = late.settle(run!);
    await untilBlocked(room.observer, late.session, settled);
    await next.session.commit();
    expect(await settled).toMatchObject({ status: 'lease-lost' });
    expect(await room.rows('k')).toEqual(['1 leased', '2 waiting']);
  });
});

test('I02 finding 11: positions come from one sequence without a cache', async () => {
  expect(
    await room.query(
      `select cache_size::text from pg_sequences where schemaname = 'waybill' and sequencename = 'position_seq'`,
    ),
  ).toEqual([{ cache_size: '1' }]);
});

test('I03 finding 13: a message that is settled a second time has a history of two rows, and no flush fails on it', async () => {
  await room.enqueue(writer, 'k', 1);
  const worker = await room.worker();
  const [run] = (await worker.claim()).runs;
  await worker.settle(run!);
  await room.query(
    `insert into waybill.delivery (position, seq, contract_id, record_key, ready_xid)
     select nextval('waybill.position_seq'), seq, contract_id, record_key, pg_current_xact_id() from waybill.message`,
  );
  const [again] = (await worker.claim()).runs;
  expect(again?.records[0]?.id).toBe(run?.records[0]?.id);
  expect(await worker.settle(again!)).toMatchObject({ status: 'settled' });
  expect(await room.query('select count(*)::integer as n from waybill.dispatched')).toEqual([{ n: 2 }]);
});

describe('finding 14: where a run stops', () => {
  test('V01 finding 14: before a record of a contract that was not asked for', async () => {
    await room.enqueue(writer, 'k', 1, 2, 3);
    await room.query(
      `update waybill.delivery set contract_id = $1::integer where position = (select min(position) + 1 from waybill.delivery)`,
      [room.contracts.get('test.note-taken@1')!],
    );
    const worker = await room.worker();
    expect(await worker.take({ asks: [room.contracts.get(PARCEL)!] })).toEqual(['k:1']);
  });

  test('S02 finding 14: before a delayed record', async () => {
    await room.enqueue(writer, 'k', 1, 2, 3);
    await room.query(
      `update waybill.delivery set not_before = 'infinity' where position = (select min(position) + 1 from waybill.delivery)`,
    );
    const worker = await room.worker();
    expect(await worker.take()).toEqual(['k:1']);
  });

  test('Q10 finding 14: before a tombstone', async () => {
    await room.enqueue(writer, 'k', 1, 2, 3);
    await room.query(
      `update waybill.delivery set settled = true, due_at = clock_timestamp() where position = (select min(position) + 1 from waybill.delivery)`,
    );
    const worker = await room.worker();
    const [run] = (await worker.claim()).runs;
    expect(run?.records).toHaveLength(1);
    await worker.settle(run!);
    expect(await room.rows('k'), 'the tombstone keeps the key until it is swept').toEqual(['2 tombstone', '3 waiting']);
    await sweepAll();
    expect(await worker.take()).toEqual(['k:3']);
  });

  test('Q10 finding 14: a head that has failed before is taken alone', async () => {
    await room.enqueue(writer, 'k', 1, 2);
    const worker = await room.worker();
    const [run] = (await worker.claim()).runs;
    await worker.settle(run!, 0, { then: 'retry', delayMs: 0, error: 'once' });
    expect(await worker.take()).toEqual(['k:1']);
  });

  test('F055 finding 14: the limit counts records, and cuts the longest runs without a gap', async () => {
    for (const key of ['a', 'b', 'c']) await room.enqueue(writer, key, 1, 2, 3, 4);
    const worker = await room.worker();
    expect(await worker.take({ limit: 7 })).toEqual(['a:1,2,3', 'b:1,2', 'c:1,2']);
  });
});

test('finding 15: a ready row that somebody holds while claims pass is found by the next full scan', async () => {
  await room.enqueue(writer, 'k', 1);
  await other.begin();
  await other.query('select 1 from waybill.delivery for update');
  // Other tests have transactions open on this server; with more of them than a floor remembers it would stay below the row.
  await vi.waitFor(async () => {
    const older = 'select from waybill.delivery where ready_xid >= pg_snapshot_xmin(pg_current_snapshot())';
    expect(await room.query(older)).toEqual([]);
  }, WAIT_MS);
  const worker = await room.worker();
  expect(await worker.take()).toEqual([]);
  await other.rollback();
  expect(await worker.take(), 'the floor has passed it').toEqual([]);
  worker.claimer.forget();
  expect(await worker.take()).toEqual(['k:1']);
});

describe('Q15: an attempt counts', () => {
  test('Q15: a failed record in the midst of a run whose row is locked for a moment is waited for, and its attempt counts', async () => {
    await room.enqueue(writer, 'k', 1, 2);
    const worker = await room.worker();
    const [run] = (await worker.claim()).runs;
    await other.begin();
    await other.query('select from waybill.delivery where position = $1::bigint for update', [
      run!.records[1]!.position,
    ]);
    const settled = worker.settle(run!, 1, { then: 'retry', delayMs: 0, error: 'no' });
    await untilBlocked(room.observer, worker.session, settled);
    await other.commit();
    expect(await settled).toMatchObject({ status: 'settled' });
    const [row] = await room.query('select attempt, last_error from waybill.delivery');
    expect(row).toEqual({ attempt: 1, last_error: 'no' });
    expect(await worker.take()).toEqual(['k:2']);
  });
});

describe('finding 17: the order of keys and their guards outlive an upgrade', () => {
  test('I02 finding 17: every key is ordered by its bytes, whatever the locale of the database', async () => {
    const collations = await room.query(
      `select distinct c.collname as collation from pg_attribute a join pg_collation c on c.oid = a.attcollation join pg_class r on r.oid = a.attrelid
       where r.relnamespace = 'waybill'::regnamespace and r.relkind in ('r', 'i') and a.attname = 'record_key' and not a.attisdropped`,
    );
    expect(collations).toEqual([{ collation: 'C' }]);
  });

  test('I02 finding 17: a key keeps its stripe: writers of two versions that lock different ones would not wait for each other', async () => {
    const keys = ['k', 'order-1', 'Zürich', ''];
    const stripes = await room.query('select waybill.guard_stripe(k) as stripe from unnest($1::text[]) k', [keys]);
    expect(stripes.map(({ stripe }) => stripe)).toEqual([3823, 1368, 1920, 2822]);
  });
});
