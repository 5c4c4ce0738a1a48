import { openStore, type Store } from '@waybill/store';
import { connectPg } from '@waybill/store/pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { moveWithoutKey, oldOutbox } from '../../test/generation-one.ts';
import { Outbox, PATIENCE, startLoop } from '../../test/loop.ts';
import { MoveParcel, NotifyOwner } from '../../test/parcels.ts';
import { systemClock } from '../loop/clock.ts';
import { call } from '../routes/call.ts';
import { DatabaseClock } from './database-clock.ts';
import { prometheusSink } from './prometheus-sink.ts';
import { Sampler, type SamplerDeps } from './sampler.ts';
import { observeStore } from './store-gauges.ts';

/** Readings last three of these, which a look on a busy machine must not exceed. */
const EVERY_MS = 500;

function storeAt(url: string): Store {
  const database = connectPg({ url, max: 1, connectTimeoutMs: 30_000, statementTimeoutMs: 30_000 });
  onTestFinished(() => database.close());
  return openStore(database);
}

function startSampler(store: Store, owner: () => string | null, deps: Partial<SamplerDeps> = {}) {
  const sink = prometheusSink();
  const databaseClock = new DatabaseClock(() => systemClock.now());
  const sampler = new Sampler({
    store,
    owner,
    everyMs: EVERY_MS,
    sink,
    databaseClock,
    clock: systemClock,
    onTurn: () => {},
    onFailed: () => {},
    ...deps,
  });
  observeStore(() => sampler.latest(), sink);
  const stopping = new AbortController();
  const running = sampler.run(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await running;
  });
  return { sink, sampler, stopping, databaseClock };
}

test('W27: of two dispatchers the one that registered first looks; when it leaves, the other one does', async () => {
  const outbox = await Outbox.forTest();
  const loops = [startLoop(outbox), startLoop(outbox)];
  for (const loop of loops) await loop.untilRunning();
  const [oldest] = await outbox.query('select id::text from waybill.dispatcher order by started_at limit 1');
  const [first, second] = loops
    .toSorted(({ owners }) => (owners[0] === oldest?.['id'] ? -1 : 1))
    .map(({ dispatcher }) => ({
      dispatcher,
      ...startSampler(storeAt(outbox.url), () => dispatcher.workload().owner, { everyMs: 1_000 }),
    }));
  if (first === undefined || second === undefined) throw new Error('expected two dispatchers');
  await expect.poll(() => first.sampler.latest()).not.toBeNull();
  expect(second.sampler.latest()).toBeNull();
  expect(await second.sink.render()).not.toMatch(/^waybill_message_pending\{/m);
  expect(await first.sink.render()).toMatch(/^waybill_dispatcher_live\{build="parcels@1.0.0"\} 2$/m);
  await first.dispatcher.drain();
  await expect.poll(() => second.sampler.latest()).not.toBeNull();
  await expect.poll(() => first.sampler.latest()).toBeNull();
});

test('W27 F033: what waits is shown by contract and reason; what nobody reads has a signal of its own', async () => {
  const outbox = await Outbox.forTest();
  const loop = startLoop(outbox, {
    routes: { notify: call(NotifyOwner, () => ({ outcome: 'retry', class: 'busy', afterMs: 3_600_000 })) },
    settings: { retry: { maxAttempts: 3, baseMs: 3_600_000, factor: 1, capMs: 3_600_000 } },
  });
  await loop.untilRunning();
  await outbox.enqueue(NotifyOwner, { owner: 'o', text: 't' });
  await outbox.until((rows) => rows.every(({ attempt }) => attempt === 1));
  // What nobody reads is written on the word of an operator only.
  await outbox.query(
    `insert into waybill.write_override (type, version, actor, reason, until) values ('parcels.lost', 7, 'a', 'r', now() + interval '1 hour')`,
  );
  await outbox.query(
    `select waybill.enqueue('[{"type": "parcels.lost", "version": 7, "payload": {}, "when_unreadable": "write-anyway"}]'::json)`,
  );
  const { sink } = startSampler(storeAt(outbox.url), () => loop.dispatcher.workload().owner);
  const page = await vi.waitFor(async () => {
    const text = await sink.render();
    expect(text).toContain('waybill_message_pending{type="parcels.lost",version="7",reason="no-reader"} 1');
    return text;
  }, PATIENCE);
  expect(page).toContain('waybill_message_waiting_for_reader{type="parcels.lost",version="7"} 1');
  expect(page).toContain('waybill_message_waiting_for_reader{type="parcels.notify-owner",version="1"} 0');
  expect(page).toContain('waybill_message_retrying{type="parcels.notify-owner",version="1"} 1');
  expect(page).toMatch(/waybill_message_pending\{type="parcels.notify-owner",version="1",reason="timed"\} 1/);
  expect(page).toMatch(/waybill_message_oldest_age_seconds\{type="parcels.lost",version="7"\} \d/);
  expect(page).toMatch(/^waybill_message_capped 0$/m);
  expect(page).toMatch(/^waybill_audit_findings_total\{finding="waiting"\} 0$/m);
});

test('F033: a store that fails touches no delivery, is counted, and its readings vanish instead of growing old', async () => {
  const outbox = await Outbox.forTest();
  const loop = startLoop(outbox);
  await loop.untilRunning();
  let now = 0;
  const failures: string[] = [];
  const { sink, sampler } = startSampler(storeAt(outbox.url), () => loop.dispatcher.workload().owner, {
    clock: { now: () => now, sleep: (ms, signal) => systemClock.sleep(ms, signal) },
    onFailed: (operation) => void failures.push(operation),
  });
  await expect.poll(() => sampler.latest()).not.toBeNull();
  await outbox.query('alter table waybill.contract rename to contracts');
  await expect.poll(() => failures.length).toBeGreaterThan(0);
  expect(new Set(failures)).toEqual(new Set(['sample']));
  now += 3 * EVERY_MS + 1;
  expect(sampler.latest()).toBeNull();
  expect(await sink.render()).not.toMatch(/^waybill_(message_|sample_age)[a-z_]+[{ ]/m);
  await outbox.query('alter table waybill.contracts rename to contract');
  await outbox.enqueue(MoveParcel, { parcel: 'p', step: 1, depot: 'd' });
  await outbox.untilDispatched(1);
  await expect.poll(() => sampler.latest()).not.toBeNull();
});

test('W27 F033: how the tables fare is shown; while one of them is rewritten the rest is, and the look goes on', async () => {
  const outbox = await Outbox.forTest();
  const loop = startLoop(outbox);
  await loop.untilRunning();
  const onFailed = vi.fn();
  const { sink } = startSampler(storeAt(outbox.url), () => loop.dispatcher.workload().owner, {
    onFailed,
    // Longer than the look waits for the lock, so that nothing is too old meanwhile.
    everyMs: 2_000,
  });
  const page = await vi.waitFor(async () => {
    const text = await sink.render();
    expect(text).toMatch(/^waybill_store_oldest_transaction_age_seconds [\d.]+$/m);
    return text;
  }, PATIENCE);
  for (const table of ['message', 'delivery', 'dispatched', 'dead_letter']) {
    expect(page).toMatch(new RegExp(`^waybill_table_size_bytes\\{table="${table}"\\} [1-9]\\d*$`, 'm'));
    expect(page).toMatch(new RegExp(`^waybill_table_dead_rows\\{table="${table}"\\} \\d+$`, 'm'));
  }
  const rewriting = await outbox.pool.connect();
  try {
    await rewriting.query('begin; lock table waybill.dispatched in access exclusive mode');
    await vi.waitFor(() => expect(onFailed).toHaveBeenCalledWith('sample', expect.anything()), PATIENCE);
    await vi.waitFor(async () => {
      const text = await sink.render();
      expect(text).not.toMatch(/^waybill_(table|store_oldest)[a-z_]+[{ ]/m);
      expect(text).toMatch(/^waybill_key_held 0$/m);
    }, PATIENCE);
  } finally {
    await rewriting.query('rollback');
    rewriting.release();
  }
  await expect.poll(() => sink.render(), PATIENCE).toMatch(/^waybill_table_size_bytes\{/m);
});

test('W27: rows that wait for nobody are counted when the audit heals them', async () => {
  const outbox = await Outbox.forTest();
  const loop = startLoop(outbox);
  await loop.untilRunning();
  const { sink } = startSampler(storeAt(outbox.url), () => loop.dispatcher.workload().owner);
  await outbox.query(`with m as (insert into waybill.message (seq, id, contract_id, occurred_at, record_key, payload)
      select nextval('waybill.position_seq'), gen_random_uuid(), id, now(), 'Parcel/stranded', '{"parcel":"stranded","step":1,"depot":"d"}'
      from waybill.contract where type = 'parcels.move' and schema_version = 2 returning seq, contract_id)
    insert into waybill.delivery (position, seq, contract_id, record_key) select seq, seq, contract_id, 'Parcel/stranded' from m`);
  await expect.poll(() => sink.render()).toMatch(/^waybill_audit_findings_total\{finding="waiting"\} 1$/m);
  await outbox.untilDispatched(1);
});

test('W27: ages by the clock of the database need no agreement of the clocks', () => {
  let now = 500;
  const clock = new DatabaseClock(() => now);
  expect(clock.secondsSince(new Date(0))).toBeNull();
  now = 700;
  // Asked at 500, answered at 700: the database said 10:00:00.000 at 600.
  clock.set(Date.parse('2030-01-01T10:00:00.000Z'), 500);
  now = 2_600;
  expect(clock.secondsSince(new Date('2030-01-01T09:59:58.000Z'))).toBe(4);
  expect(clock.secondsSince(new Date('2030-01-01T10:00:09.000Z'))).toBe(0);
});

test('W27 Q07: on tables without record keys there are the same metrics, and nothing fails', async () => {
  const outbox = await oldOutbox();
  const loop = startLoop(outbox, {
    routes: { moved: call(MoveParcel, () => ({ outcome: 'refused', class: 'no' })) },
  });
  await loop.untilRunning();
  const onFailed = vi.fn();
  const { sink, sampler } = startSampler(storeAt(outbox.url), () => loop.dispatcher.workload().owner, { onFailed });
  await moveWithoutKey(outbox, 'later', [1, 2], { inMs: 3_600_000 });
  await moveWithoutKey(outbox, 'dead', [1]);
  await outbox.untilCount('waybill.dead_letter', 1);
  await vi.waitFor(async () => {
    const text = await sink.render();
    // The one drainer of such tables has all of them in its hands, also what is due later.
    expect(text).toMatch(/^waybill_message_processing\{type="parcels.move",version="2"\} 2$/m);
    expect(text).toMatch(/^waybill_message_dead\{type="parcels.move",version="2",reason="refused"\} 1$/m);
    expect(text).toMatch(/^waybill_message_oldest_age_seconds\{type="parcels.move",version="2"\} [\d.e-]+$/m);
    expect(text).toMatch(/^waybill_dispatcher_live\{build="[^"]+"\} 1$/m);
    expect(text).toMatch(/^waybill_audit_findings_total\{finding="waiting"\} 0$/m);
  }, PATIENCE);
  expect(sampler.latest()).not.toBeNull();
  expect(onFailed.mock.calls).toEqual([]);
});
