/** When a record can be claimed, and what whoever claims it holds and knows. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';

import { DRIVERS } from '../../test/drivers.ts';
import { NoteTaken, ParcelMoved } from '../../test/messages.ts';
import { openRoom } from '../../test/room.ts';
import type { Session } from '../../test/session.ts';
import { createClaimer } from '../claimer.ts';
import { enqueue } from '../drivers/pg.ts';
import { openStore } from '../store.ts';
import { stampAnew } from './claim.ts';

const room = await openRoom();
let writer: Session;
let other: Session;
beforeEach(async () => {
  [writer, other] = [await room.session(), await room.session()];
});
afterEach(async () => {
  const stranded = await room.stranded();
  await room.clear();
  expect(stranded, 'waiting rows that nobody will wake').toBe(0);
});
afterAll(() => room[Symbol.asyncDispose]());

describe('F087: a long business transaction that writes a key', () => {
  test('F087 Q02: holds up nothing of the key that is committed already', async () => {
    await room.enqueue(writer, 'k', 1, 2);
    await other.begin();
    await room.enqueue(other, 'k', 3);
    const worker = await room.worker();
    // Whoever waits for it fails, and does not hang.
    await worker.session.query(`set lock_timeout = '5s'`);
    const [run] = (await worker.claim()).runs;
    expect(run?.records).toHaveLength(2);
    expect(await worker.settle(run!)).toMatchObject({ status: 'settled' });
    await other.commit();
    await worker.session.query('select waybill.sweep(100, 20)');
    expect(await worker.take()).toEqual(['k:3']);
  });

  test('F087: two of them that touch keys in opposite orders in single calls: one is told to try again, and nothing is lost', async () => {
    await writer.begin();
    await other.begin();
    await room.enqueue(writer, 'k', 1);
    await room.enqueue(other, 'l', 2);
    const results = await Promise.allSettled([room.enqueue(writer, 'l', 1), room.enqueue(other, 'k', 2)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    for (const [index, session] of [writer, other].entries())
      await (results[index]?.status === 'fulfilled' ? session.commit() : session.rollback());
    const worker = await room.worker();
    expect(await worker.take()).toHaveLength(2);
  });
});

test.each(DRIVERS)(
  'F067: a claim on $driver is committed before its records are handed over, and holds no row and no transaction',
  async ({ connect }) => {
    await room.enqueue(writer, 'k', 1, 2);
    const driver = connect(room.url);
    const store = openStore(driver.database);
    const claimer = createClaimer(store, {
      owner: randomUUID(),
      contracts: room.contracts,
      leaseMs: 60_000,
      now: () => 0,
    });
    const { runs } = await claimer.claim({ limit: 10, runLength: 10, timed: true });
    expect(runs).toHaveLength(1);
    await other.query(
      'begin; select * from waybill.delivery for update nowait; select * from waybill.message for update nowait; rollback',
    );
    const [row] = await room.query(
      `select count(*)::integer as open from pg_stat_activity where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`,
    );
    expect(row).toEqual({ open: 0 });
    await driver.close();
  },
);

test('F022: a payload that is not what its contract says is claimed beside the others, as it was written', async () => {
  for (let n = 0; n < 9; n += 1) await room.enqueue(writer, `k${String(n)}`, 1);
  for (const payload of ['null', '"text"', '{"id": 7, "step": {}}'])
    await writer.query('select * from waybill.enqueue($1, $2)', [
      `[{"type": "${ParcelMoved.type}", "version": 2, "record_key": "", "headers": {"odd": [1]}}]`,
      `[${payload}]`,
    ]);
  const worker = await room.worker();
  const { runs } = await worker.claim();
  expect(runs.flatMap(({ records }) => records.map(({ payload }) => payload)).slice(9)).toEqual([
    'null',
    '"text"',
    '{"id": 7, "step": {}}',
  ]);
  for (const run of runs) expect(await worker.settle(run)).toMatchObject({ status: 'settled' });
});

test('F097: what comes again after younger ones says how old it is, where it stands and that it was tried before', async () => {
  const notes: string[] = [];
  for (let value = 0; value < 2; value += 1) {
    await writer.begin();
    notes.push((await enqueue(writer.native, NoteTaken, { value })).id);
    await writer.commit();
  }
  const [first, second] = [await room.worker(), await room.worker()];
  const before = (await first.claim()).runs;
  await first.settle(before[1]!);
  await first.settle(before[0]!, 0, { then: 'retry', delayMs: 0, error: 'the target was away' });
  const [again] = (await second.claim()).runs;
  const [record] = again!.records;
  expect(record).toMatchObject({ id: notes[0], attempt: 1, enqueuedAt: before[0]!.records[0]!.enqueuedAt });
  expect(BigInt(record!.seq)).toBeLessThan(BigInt(before[1]!.records[0]!.seq));
  expect(BigInt(again!.fence)).toBeGreaterThan(BigInt(before[0]!.fence));
});

test('F070 F071 F072: one function gives hints, and without any the poll alone finds what was committed, however big', async () => {
  const rows = await room.query(
    `select proname::text as name from pg_proc where pronamespace = 'waybill'::regnamespace and prosrc ~* 'pg_notify|listen'`,
  );
  expect(rows).toEqual([{ name: 'give_hint' }]);
  await writer.begin();
  await enqueue(writer.native, NoteTaken, { value: 'x'.repeat(1_000_000) }, { recordKey: `Key/${'k'.repeat(500)}` });
  await writer.commit();
  const worker = await room.worker();
  expect((await worker.claim()).runs).toHaveLength(1);
});

test('F094 F030: no lock of the store outlives its transaction', async () => {
  const worker = await room.worker();
  const locks = async (): Promise<unknown> =>
    (
      await room.query(
        `select count(*)::integer as n from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
      )
    )[0]?.['n'];
  await room.enqueue(writer, 'k', 1);
  expect(await locks()).toBe(0);
  for (const run of (await worker.claim()).runs) await worker.settle(run);
  await worker.session.query('select waybill.sweep(100, 20)');
  expect(await locks()).toBe(0);
  const [row] = await room.query(
    String.raw`select count(*)::integer as n from pg_proc where pronamespace = 'waybill'::regnamespace
     and regexp_replace(prosrc, '--[^\n]*', '', 'g') ~ 'pg_(try_)?advisory_lock'`,
  );
  expect(row).toEqual({ n: 0 });
});

describe('finding 16: rows that another cluster has stamped, as in a dump that was restored here', () => {
  const FROM_THE_FUTURE = '1000000000000';
  const ids = [...room.contracts.values()];
  const stamp = async (session: Session): Promise<void> => {
    await session.query(
      `update waybill.delivery set ready_xid = '${FROM_THE_FUTURE}' where record_key = 'Parcel/restored' and ready_xid is not null`,
    );
  };

  test('I02 finding 16: are stamped anew, once, and what is ready since then is not behind them', async () => {
    await room.enqueue(writer, 'restored', 1, 2);
    await stamp(writer);
    await room.enqueue(writer, 'native', 1);
    expect(await stampAnew(room.observer, openStore(room.observer), ids)).toBe(1);
    expect(await stampAnew(room.observer, openStore(room.observer), ids)).toBe(0);
    expect(
      await room.query(
        'select record_key, ready_xid < pg_snapshot_xmax(pg_current_snapshot()) as past from waybill.delivery where ready_xid is not null order by record_key',
      ),
    ).toEqual([
      { record_key: 'Parcel/native', past: true },
      { record_key: 'Parcel/restored', past: true },
    ]);
    const worker = await room.worker();
    expect([...(await worker.take())].sort()).toEqual(['native:1', 'restored:1,2']);
  });

  test('Q02 finding 16: one that somebody holds is left as it is, and waited for by nobody', async () => {
    await room.enqueue(writer, 'restored', 1);
    await stamp(writer);
    await other.begin();
    await other.query(`select 1 from waybill.delivery where record_key = 'Parcel/restored' for update`);
    const session = await room.session();
    await session.query(`set lock_timeout = '5s'`);
    expect(await stampAnew(session, openStore(session), ids)).toBe(0);
    await other.rollback();
    expect(await stampAnew(session, openStore(session), ids)).toBe(1);
    const worker = await room.worker();
    expect(await worker.take()).toEqual(['restored:1']);
  });
});
