/** Numbers at the end of their width, and calls that make no sense: neither may strand a record. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';

import { NoteTaken } from '../../test/messages.ts';
import { NOTE, openRoom } from '../../test/room.ts';
import type { Session } from '../../test/session.ts';
import type { Worker } from '../../test/worker.ts';
import type { Run } from '../claimed.ts';
import { enqueue } from '../drivers/pg.ts';
import { listRecords } from '../operators/list.ts';
import { claimBatch, settleBatch } from './batch.ts';
import { type Next, settle } from './settle.ts';

const MOST_ATTEMPTS = 2_147_483_647;
const MOST_CRASHES = 32_767;
const LAST_FENCE = '9223372036854775807';
const AGAIN: Next = { then: 'retry', delayMs: 0, error: 'once more' };

const room = await openRoom();
let writer: Session;
let worker: Worker;
beforeEach(async () => {
  [writer, worker] = [await room.session(), await room.worker()];
});
afterEach(async () => {
  const stranded = await room.stranded();
  await room.clear();
  expect(stranded, 'waiting rows that nobody will wake').toBe(0);
});
afterAll(() => room[Symbol.asyncDispose]());

async function put(key: string): Promise<void> {
  if (key !== '') return room.enqueue(writer, key, 1);
  await writer.begin();
  await enqueue(writer.native, NoteTaken, { value: 1 });
  await writer.commit();
}
async function take(): Promise<Run> {
  const [run] = (await worker.claim()).runs;
  if (run === undefined) throw new Error('nothing was claimed');
  return run;
}
const column = async (text: string): Promise<readonly unknown[]> =>
  (await room.query(text)).map((row) => Object.values(row)[0]);

describe.each([
  { what: 'with a key', key: 'k' },
  { what: 'without a key', key: '' },
])('F098: a record $what at the end of its numbers', ({ key }) => {
  test('F098 I07: fails once more, is claimed again, and ends', async () => {
    await put(key);
    await room.query(`update waybill.delivery set attempt = ${MOST_ATTEMPTS}, fence = ${LAST_FENCE} - 1`);
    for (let turn = 0; turn < 2; turn += 1) {
      const run = await take();
      expect([run.fence, run.records[0]?.attempt]).toEqual([LAST_FENCE, MOST_ATTEMPTS]);
      expect(await worker.settle(run, 0, AGAIN)).toMatchObject({ status: 'settled' });
    }
    expect(await worker.settle(await take())).toMatchObject({ status: 'settled' });
    expect(await column('select attempt from waybill.dispatched')).toEqual([MOST_ATTEMPTS]);
  });

  test('F098 I07: dies', async () => {
    await put(key);
    await room.query(`update waybill.delivery set attempt = ${MOST_ATTEMPTS}`);
    const run = await take();
    const dead: Next = { then: 'dead-letter', position: run.head, reason: 'attempts-exhausted', error: 'no' };
    expect(await worker.settle(run, 0, dead)).toMatchObject({ status: 'settled' });
    expect(await column('select attempt from waybill.dead_letter')).toEqual([MOST_ATTEMPTS]);
  });

  test('F098: is claimed as a suspect', async () => {
    await put(key);
    await room.query(`update waybill.delivery set crashes = ${MOST_CRASHES}, fence = ${LAST_FENCE}`);
    const [run] = await worker.claimer.claimSuspect();
    expect(run?.records[0]?.crashes).toBe(MOST_CRASHES);
    expect(await worker.settle(run!)).toMatchObject({ status: 'settled' });
  });

  test('F036: waits for as long as a number can say', async () => {
    await put(key);
    const run = await take();
    const never: Next = { then: 'retry', delayMs: Number.MAX_SAFE_INTEGER, error: 'much later' };
    expect(await worker.settle(run, 0, never)).toMatchObject({ status: 'settled' });
    expect(await column(`select due_at > clock_timestamp() + interval '100000 years' from waybill.delivery`)).toEqual([
      true,
    ]);
    expect((await worker.claim()).runs).toEqual([]);
    const { records } = await listRecords(room.store(room.observer), { state: 'pending' });
    expect(records.map(({ state }) => 'nextAttemptAt' in state && state.nextAttemptAt)).toEqual([new Date(8.64e15)]);
  });
});

test('W06: a record with a time beyond every calendar is delivered, and takes no other along', async () => {
  for (const time of ['infinity', '-infinity', '294276-12-31'])
    await room.query(
      `with m as (insert into waybill.message (seq, id, contract_id, occurred_at, payload, record_key)
         values (nextval('waybill.position_seq'), gen_random_uuid(), $1::integer, $2::timestamptz, '1', '') returning seq, contract_id)
       insert into waybill.delivery (position, seq, contract_id, record_key, ready_xid) select seq, seq, contract_id, '', pg_current_xact_id() from m`,
      [room.contracts.get(NOTE)!, time],
    );
  await put('k');
  const { records } = await listRecords(room.store(room.observer), {});
  expect(records).toHaveLength(4);
  expect(
    (await worker.claim()).runs.flatMap((run) => run.records.map(({ occurredAt }) => occurredAt.getTime())),
  ).toEqual(expect.arrayContaining([8.64e15, -8.64e15]));
});

test('F098: a batch drainer passes the end of the numbers too', async () => {
  await put('k');
  await room.query(`update waybill.delivery set attempt = ${MOST_ATTEMPTS}, fence = ${LAST_FENCE}`);
  const store = room.store(worker.session);
  const request = { owner: worker.owner, most: 10, leaseMs: 60_000, contractIds: [...room.contracts.values()] };
  for (const then of ['retry', 'dispatched'] as const) {
    const [record] = await claimBatch(worker.session, store, request);
    const outcome = then === 'retry' ? { then, delayMs: 0, error: 'once more' } : { then };
    const settlement = { position: record!.position, fence: record!.fence, outcome };
    expect(await settleBatch(worker.session, store, worker.owner, [settlement, settlement])).toEqual(
      new Set([record!.position]),
    );
  }
  expect(await column('select attempt from waybill.dispatched')).toEqual([MOST_ATTEMPTS]);
});

describe('calls that make no sense', () => {
  test.each(['read committed', 'repeatable read'])(
    'I02 Q10: in %s the same head twice in one call is settled once, and its key goes on',
    async (isolation) => {
      await room.enqueue(writer, 'k', 1, 2);
      await room.enqueue(writer, 'alone', 1);
      const { runs } = await worker.claim({ runLength: 1 });
      await worker.session.begin(isolation);
      await worker.session.query('select 1 from waybill.message limit 1');
      const twice = runs.flatMap((run) => {
        const one = { head: run.head, fence: run.fence, recordKey: run.recordKey, next: AGAIN };
        return [
          { ...one, delivered: [run.head] },
          { ...one, delivered: [run.head] },
        ];
      });
      const results = await settle(worker.session, room.store(worker.session), worker.owner, twice);
      await worker.session.commit();
      expect(results.map(({ status }) => status)).toEqual(['settled', 'settled', 'settled', 'settled']);
      expect(await column('select count(*)::integer from waybill.dispatched')).toEqual([2]);
      await room.query('select waybill.sweep(100, 20)');
      expect(await room.rows('k')).toEqual(['2 ready']);
      expect(await room.rows('alone')).toEqual([]);
    },
  );

  test('I02: the same head delivered and to be retried in one call counts as delivered, and nothing is stranded', async () => {
    await room.enqueue(writer, 'k', 1, 2);
    const run = await take();
    const one = { head: run.head, fence: run.fence, recordKey: run.recordKey, next: AGAIN };
    await settle(worker.session, room.store(worker.session), worker.owner, [
      { ...one, delivered: [] },
      { ...one, delivered: [run.head] },
    ]);
    expect(await column('select count(*)::integer from waybill.dispatched')).toEqual([1]);
    expect(await room.rows('k')).toEqual(['2 ready']);
  });

  test('W14 I03: heads that are not the caller’s own are lost beside those that are, and stay as they were', async () => {
    await room.enqueue(writer, 'mine', 1);
    const mine = await take();
    await room.enqueue(writer, 'theirs', 1, 2);
    const other = await room.worker();
    const [theirs] = (await other.claim({ runLength: 1 })).runs;
    await room.enqueue(writer, 'free', 1);
    const positions = await column('select position::text from waybill.delivery order by position');
    const results = await settle(
      worker.session,
      room.store(worker.session),
      worker.owner,
      positions.map((position) => ({
        head: String(position),
        fence: '1',
        recordKey: '',
        delivered: [String(position)],
        next: AGAIN,
      })),
    );
    expect(results.map(({ status }) => status)).toEqual(['lease-lost', 'lease-lost', 'lease-lost', 'lease-lost']);
    expect(await worker.settle(mine)).toMatchObject({ status: 'settled' });
    expect(await other.settle(theirs!)).toMatchObject({ status: 'settled' });
    expect([await room.rows('mine'), await room.rows('theirs'), await room.rows('free')]).toEqual([
      [],
      ['2 ready'],
      ['1 ready'],
    ]);
  });
});
