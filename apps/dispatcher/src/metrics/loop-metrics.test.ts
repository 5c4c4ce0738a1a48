import { randomUUID } from 'node:crypto';
import { enqueue } from '@waybill/store/pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Gate } from '../../test/gate.ts';
import { Outbox, PATIENCE, startLoop } from '../../test/loop.ts';
import { NotifyOwner, WeighParcel } from '../../test/parcels.ts';
import { TcpProxy } from '../../test/tcp-proxy.ts';
import { systemClock } from '../loop/clock.ts';
import type { LoopObserver } from '../loop/observer.ts';
import { call } from '../routes/call.ts';
import { handle } from '../routes/handle.ts';
import { DatabaseClock } from './database-clock.ts';
import { loopMetrics } from './loop-metrics.ts';
import { type PrometheusSink, prometheusSink } from './prometheus-sink.ts';

const weigh = call(WeighParcel, ({ grams }) => {
  if (grams < 0) throw new Error('no such weight');
});
const notify = call(NotifyOwner, () => ({ outcome: 'refused', class: 'unwilling' }));

function measured(): { readonly sink: PrometheusSink; readonly observer: LoopObserver } {
  const sink = prometheusSink();
  const clock = new DatabaseClock(() => systemClock.now());
  clock.set(Date.now(), systemClock.now());
  return { sink, observer: loopMetrics([weigh, notify], sink, clock) };
}

/** The value of one series of a page. */
function valueOf(page: string, series: string): number {
  const line = page.split('\n').find((text) => text.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? Number.NaN);
}

const attempts = (type: string, result: string): string =>
  `waybill_delivery_attempts_total{type="${type}",destination="${type}",result="${result}"}`;

test('W21 W27: every end of an attempt is counted by its result, and how long it took', async () => {
  const outbox = await Outbox.forTest();
  const { sink, observer } = measured();
  await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
  await outbox.enqueue(WeighParcel, { parcel: 'b', grams: -1 });
  await outbox.enqueue(NotifyOwner, { owner: 'o', text: 't' });
  startLoop(outbox, { routes: { weigh, notify }, observer });
  await outbox.until((rows) => rows.filter(({ state }) => state !== 'pending' && state !== 'processing').length === 3);
  // A settlement is told of after the store has it.
  const page = await vi.waitFor(async () => {
    const text = await sink.render();
    expect(valueOf(text, 'waybill_settlement_results_total{result="settled"}')).toBeGreaterThanOrEqual(5);
    return text;
  }, PATIENCE);
  expect(valueOf(page, attempts('parcels.weigh', 'accepted'))).toBe(1);
  expect(valueOf(page, attempts('parcels.weigh', 'retry'))).toBe(3);
  expect(valueOf(page, attempts('parcels.notify-owner', 'refused'))).toBe(1);
  expect(valueOf(page, attempts('parcels.notify-owner', 'store-unavailable'))).toBe(0);
  const dead = (type: string, reason: string): string =>
    `waybill_delivery_dead_letters_total{type="${type}",destination="${type}",reason="${reason}"}`;
  expect(valueOf(page, dead('parcels.weigh', 'attempts-exhausted'))).toBe(1);
  expect(valueOf(page, dead('parcels.notify-owner', 'refused'))).toBe(1);
  const took = (part: string, type: string, result: string): number =>
    valueOf(page, `waybill_message_attempts_${part}{destination="${type}",result="${result}"}`);
  expect([took('count', 'parcels.weigh', 'accepted'), took('sum', 'parcels.weigh', 'accepted')]).toEqual([1, 1]);
  expect([took('count', 'parcels.weigh', 'dead-letter'), took('sum', 'parcels.weigh', 'dead-letter')]).toEqual([1, 3]);
  expect(took('sum', 'parcels.notify-owner', 'dead-letter')).toBe(1);
  expect(valueOf(page, 'waybill_claim_messages_total')).toBe(5);
  expect(valueOf(page, 'waybill_delivery_latency_seconds_count{destination="parcels.weigh"}')).toBe(1);
  expect(valueOf(page, 'waybill_delivery_duration_seconds_count{destination="parcels.weigh",result="retry"}')).toBe(3);
  expect(page).not.toContain('waybill_store_errors_total{');
});

test('W21: an unavailable store is counted as such, and as no attempt', async () => {
  const outbox = await Outbox.forTest();
  const { sink, observer } = measured();
  await using proxy = await TcpProxy.before(outbox.url);
  const loop = startLoop(outbox, { routes: { weigh, notify }, observer, url: proxy.url, heartbeatUrl: outbox.url });
  await loop.untilRunning();
  expect(loop.dispatcher.workload()).toMatchObject({ storeUp: true, owner: loop.owners[0] });
  proxy.cut();
  await expect.poll(() => sink.render()).toMatch(/waybill_store_errors_total\{.*"unavailable"\} [1-9]/);
  expect(loop.dispatcher.workload().storeUp).toBe(false);
  await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
  proxy.restore();
  await outbox.untilDispatched(1);
  const page = await sink.render();
  expect(valueOf(page, attempts('parcels.weigh', 'accepted'))).toBe(1);
  for (const result of ['retry', 'refused', 'unknown'])
    expect(valueOf(page, attempts('parcels.weigh', result))).toBe(0);
});

test.each([
  ['by itself', call],
  ["with the handler's effects", handle],
])('W21: each thing that the loop asks the store is timed, a settlement %s included', async (_where, route) => {
  const outbox = await Outbox.forTest();
  const { sink, observer } = measured();
  const answers = async (operation: string): Promise<number> =>
    valueOf(await sink.render(), `waybill_store_operation_duration_seconds_count{operation="${operation}"}`);
  const gate = new Gate();
  const lease = { leaseMs: 30_000, renewEveryMs: 50 };
  const loop = startLoop(outbox, {
    routes: { weigh: route(WeighParcel, () => gate.pass()) },
    settings: { lease },
    observer,
  });
  onTestFinished(() => gate.open());
  const seenAt = async (): Promise<unknown> => (await outbox.query('select seen_at::text from waybill.dispatcher'))[0];
  const beats = async (count: number): Promise<void> => {
    for (let beat = 0; beat < count; beat += 1) {
      const before = await seenAt();
      await expect.poll(seenAt).not.toEqual(before);
    }
  };
  await loop.untilRunning();
  // Beats of a dispatcher that holds nothing ask for no renewal.
  await beats(2);
  expect(await answers('renew')).toBeNaN();
  const first = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
  await gate.reached;
  // The second beat from now began with the record in hand, and what it asked was answered before the process was seen.
  await beats(2);
  expect(await answers('renew')).toBeGreaterThan(0);
  expect(await answers('settle')).toBeNaN();
  // A writer of the same key that has not committed leaves the settlement in doubt of who is next, so there is something to sweep.
  const writer = await outbox.pool.connect();
  await writer.query('begin');
  await enqueue(writer, WeighParcel, { parcel: 'a', grams: 2 });
  gate.open();
  await expect.poll(() => outbox.record(first)).toMatchObject({ state: 'dispatched' });
  await writer.query('commit');
  writer.release();
  await outbox.untilDispatched(2);
  await loop.dispatcher.drain();
  for (const operation of ['claim', 'settle', 'sweep']) expect(await answers(operation), operation).toBeGreaterThan(0);
});

test('F062: a message that was committed late only looks old: two dispatchers hand it out once', async () => {
  const outbox = await Outbox.forTest();
  const handled: string[] = [];
  const once = call(WeighParcel, ({ parcel }) => void handled.push(parcel));
  startLoop(outbox, { routes: { weigh: once } });
  startLoop(outbox, { routes: { weigh: once } });
  await outbox.query(
    "alter table waybill.message alter column enqueued_at set default clock_timestamp() - interval '1 day'",
  );
  const parcels = Array.from({ length: 20 }, () => randomUUID());
  for (const parcel of parcels) await outbox.enqueue(WeighParcel, { parcel, grams: 1 });
  await outbox.untilDispatched(20);
  expect([...handled].sort()).toEqual([...parcels].sort());
});
