import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Cost, measure } from '../../test/cost.ts';
import { openRoom } from '../../test/room.ts';
import { BACKLOGS, readBacklogPage } from '../statements/backlog-page.ts';
import { inIndexOrder } from '../statements/index-order.ts';
import { openStore, type Store } from '../store.ts';
import { countRecords } from './count.ts';
import { coverage } from './coverage.ts';
import { gateRetire, gateRollback } from './gates.ts';
import { listRecords } from './list.ts';
import { oldestPending } from './pending-age.ts';
import { purge } from './purge.ts';
import { readRecord } from './record.ts';
import { countReplayable } from './replay-many.ts';
import { previewReplay } from './replay-preview.ts';

const ROWS = 60_000;
const room = await openRoom();
afterAll(() => room[Symbol.asyncDispose]());

/** A third dispatched, a third dead, a third live; 5,000 keys and a third without one. */
beforeAll(async () => {
  await room.query(`insert into waybill.message (seq, id, contract_id, occurred_at, enqueued_at, record_key, payload)
    select i, gen_random_uuid(), (select min(id) from waybill.contract), now(), now() - (${String(ROWS)} - i) * interval '1 second',
      case when i % 3 = 0 then '' else 'Order/' || i % 5000 end, '{}' from generate_series(1, ${String(ROWS)}) i`);
  await room.query(`insert into waybill.dispatched (seq, position, dispatched_at, dispatched_by, attempt, contract_id)
    select seq, seq, enqueued_at, gen_random_uuid(), 1, contract_id from waybill.message where seq <= ${String(ROWS / 3)}`);
  await room.query(`insert into waybill.dead_letter (seq, position, contract_id, failed_at, failed_by, attempt, reason, error)
    select seq, seq, contract_id, enqueued_at, gen_random_uuid(), 5, case when seq % 1000 = 0 then 'crash-loop' else 'refused' end, 'no'
    from waybill.message where seq between ${String(ROWS / 3 + 1)} and ${String((ROWS / 3) * 2)}`);
  await room.query(`insert into waybill.delivery (position, seq, contract_id, record_key, ready_xid)
    select seq, seq, contract_id, record_key, case when record_key = '' or row_number() over (partition by record_key order by seq) = 1 then pg_current_xact_id() end
    from waybill.message where seq > ${String((ROWS / 3) * 2)}`);
  await room.query('analyze waybill.message, waybill.dispatched, waybill.dead_letter, waybill.delivery');
});

const costOf = (read: (store: Store) => Promise<unknown>): Promise<Cost> => measure(room.observer, read);

const states = ['pending', 'processing', 'dispatched', 'dead-letter'] as const;
const hour = 3_600_000;

test.each(
  (['newest', 'oldest'] as const).flatMap((order) =>
    [undefined, ...states].flatMap((state) => [
      { order, state, filter: {}, what: 'all' },
      { order, state, filter: { type: 'test.note-taken' }, what: 'a type that is not there' },
      { order, state, filter: { recordKey: 'Order/17' }, what: 'one key' },
      {
        order,
        state,
        filter: { enqueuedAfter: new Date(Date.now() - 5 * hour), enqueuedBefore: new Date(Date.now() - 4 * hour) },
        what: 'one hour',
      },
    ]),
  ),
)(
  'S06 F086: a page of $what, $state, $order first, goes by indexes and is bounded',
  async ({ order, state, filter }) => {
    const cost = await costOf((store) =>
      listRecords(store, { ...filter, ...(state === undefined ? {} : { state }) }, { order }),
    );
    expect(cost.walked).toEqual([]);
    // 5,000 looked at and 50 shown. A walk to the state "processing", which nothing is in, asks for the lease of each.
    expect(cost.buffers).toBeLessThan(state === 'pending' || state === 'processing' ? 150_000 : 15_000);
  },
);

test('S06 F086: one record, a preview and a choice of dead letters go by indexes', async () => {
  const { records } = await listRecords(openStore(room.observer), { state: 'dead-letter' });
  const { id } = records[0]!;
  expect(await costOf((store) => readRecord(store, id))).toMatchObject({ walked: [] });
  expect(await costOf((store) => previewReplay(store, id))).toMatchObject({ walked: [] });
  expect((await costOf((store) => readRecord(store, id))).buffers).toBeLessThan(200);
});

test('F033: counts and ages look at a bounded number of rows', async () => {
  const budget = { pending: 300_000, processing: 300_000, dispatched: 25_000, 'dead-letter': 25_000 };
  for (const state of states) {
    expect((await costOf((store) => countRecords(store, { state }))).buffers).toBeLessThan(budget[state]);
  }
  expect((await costOf((store) => oldestPending(store))).buffers).toBeLessThan(60_000);
  const { count } = await countReplayable(openStore(room.observer), { reason: 'crash-loop' });
  expect(count).toBe(20);
});

test('V02 V04 V05 F033: gates and coverage go by indexes, and stop counting where nobody acts differently', async () => {
  const name = { type: 'test.note-taken', version: 1 };
  const nothing = { build: 'none', readers: {}, writers: {} };
  const reads: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
    rollback: (store) => gateRollback(store, nothing),
    retire: (store) => gateRetire(store, name),
    coverage,
  };
  for (const [gate, read] of Object.entries(reads)) {
    const cost = await costOf(read);
    expect(cost.walked, gate).toEqual([]);
    // 10,000 and one of each part: ready, timed, waiting, and dead of four reasons.
    expect(cost.buffers, gate).toBeLessThan(100_000);
  }
});

test('S05: a purge that finds nothing to do walks no table', async () => {
  const cost = await costOf((store) => purge(store, { dispatchedOlderThanMs: 30 * 24 * hour }));
  expect(cost.walked).toEqual([]);
  expect(cost.buffers).toBeLessThan(1_000);
});

test.each(BACKLOGS.flatMap((backlog) => (['newest', 'oldest'] as const).map((order) => ({ backlog, order }))))(
  'V09: a page of the backlog, $backlog, $order first, goes by indexes and is bounded',
  async ({ backlog, order }) => {
    const range = { above: String(ROWS / 2), below: String((ROWS / 6) * 5) };
    const cost = await costOf((store) =>
      inIndexOrder(store, (tx) => readBacklogPage(tx, store, { backlog, range, order, most: 200 })),
    );
    expect(cost.walked).toEqual([]);
    // 200 rows, each with its message and its contract.
    expect(cost.buffers).toBeLessThan(3_000);
  },
);
