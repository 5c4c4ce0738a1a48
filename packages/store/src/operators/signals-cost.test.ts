import { afterAll, beforeAll, expect, test } from 'vitest';

import { measure } from '../../test/cost.ts';
import { openRoom } from '../../test/room.ts';
import { readSignals, recentAttempts } from './signals.ts';

/** Live rows, with half as many dispatched messages and a tenth as many dead letters beside them. */
const ROWS = Number(process.env['WAYBILL_SIGNALS_ROWS'] ?? 200_000);
/** What a look may cost however large the tables are: four looks at 20,000 rows, each a page of an index and one of the table at most. */
const MAX_PAGES = 180_000;
/** The pages are the measure; time tells only that nothing else takes it. Far more than a busy machine needs for so many rows. */
const MAX_MS = 20_000;
/** What a look may read for nothing: the contracts and the dispatchers, and discarded dead letters. */
const MAX_FILTERED = 1_000;

const room = await openRoom();
const store = room.store(room.observer);
afterAll(() => room[Symbol.asyncDispose]());

/** Half of the live rows wait behind others of 20,000 keys; one contract's rows all lie at the very end. Of the messages only those are there that a look can reach. */
beforeAll(async () => {
  const n = String(ROWS);
  const row = `i as seq, (select case when i > ${n} * 0.99 then max(id) else min(id) end from waybill.contract) as contract_id,
    case when i % 2 = 0 then '' else 'Parcel/' || i % 20000 end as record_key from generate_series(1, ${n}) i`;
  await room.query(`insert into waybill.delivery (position, seq, contract_id, record_key, ready_xid, due_at, attempt)
    select seq, seq, contract_id, record_key, case when record_key = '' and seq % 10 <> 0 then pg_current_xact_id() end,
      case when record_key = '' and seq % 10 = 0 then now() + interval '1 hour' end, case when seq % 10 = 0 then 3 else 0 end from (select ${row}) r`);
  await room.query(`insert into waybill.message (seq, id, contract_id, occurred_at, enqueued_at, record_key, payload)
    select seq, gen_random_uuid(), contract_id, now(), now() - (${n} - seq) * interval '1 millisecond', record_key, '{}'
    from (select ${row}) r where seq < 100 or seq between ${n} * 0.99 and ${n} * 0.99 + 100`);
  await room.query(`insert into waybill.dispatched (seq, position, dispatched_at, dispatched_by, attempt, contract_id)
    select -i, -i, now(), gen_random_uuid(), 1, (select min(id) from waybill.contract) from generate_series(1, ${n} / 2) i`);
  await room.query(`insert into waybill.dead_letter (seq, position, contract_id, failed_by, attempt, reason, error)
    select -i, -i, (select min(id) from waybill.contract), gen_random_uuid(), 5, 'refused', 'no' from generate_series(1, ${n} / 10) i`);
  await room.query('analyze waybill.message, waybill.delivery, waybill.dispatched, waybill.dead_letter');
}, 1_800_000); // for many more rows

test('F033 W27: a look goes by indexes, touches a bounded number of pages and says that its numbers are lower bounds', async () => {
  const cost = await measure(room.observer, (measured) => readSignals(measured));
  expect(cost.walked).toEqual([]);
  expect(cost.buffers).toBeLessThan(MAX_PAGES);
  expect(cost.filtered).toBeLessThan(MAX_FILTERED);
  const recent = await measure(room.observer, (measured) => recentAttempts(measured, 3_600_000));
  expect(recent.walked).toEqual([]);
  expect(recent.buffers).toBeLessThan(MAX_PAGES);
});

test('F033 W27: it answers soon, and sees the contract whose rows all lie behind the others', async () => {
  const startedAt = performance.now();
  const signals = await readSignals(store);
  const ms = performance.now() - startedAt;
  expect(ms).toBeLessThan(MAX_MS);
  expect(signals.capped).toBe(true);
  const waiting = signals.contracts.filter(({ ready, oldestAgeMs }) => ready > 0 && oldestAgeMs !== null);
  expect(waiting).toHaveLength(2);
  process.stdout.write(`signals of ${String(ROWS)} live rows: ${ms.toFixed(0)} ms\n`);
});
