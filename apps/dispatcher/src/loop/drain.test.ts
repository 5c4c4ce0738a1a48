import { enqueue } from '@waybill/store/pg';
import { describe, expect, test } from 'vitest';
import { Gate } from '../../test/gate.ts';
import { Outbox, QUICK, startLoop } from '../../test/loop.ts';
import { MoveParcel, WeighParcel } from '../../test/parcels.ts';
import { TcpProxy } from '../../test/tcp-proxy.ts';
import { call } from '../routes/call.ts';

const leased = (outbox: Outbox) => outbox.query('select position from waybill.delivery where lease_owner is not null');
const waitingClaims = (outbox: Outbox) =>
  outbox.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%claim(%'",
  );
const waiting = (outbox: Outbox) =>
  outbox.query('select d.attempt, d.due_at from waybill.delivery d order by position');

describe('draining', () => {
  test('F012: what is in hand is finished and settled, the rest is given back untouched, nothing is claimed any more', async () => {
    const outbox = await Outbox.forTest();
    const gate = new Gate();
    const steps: number[] = [];
    const moved = call(MoveParcel, async ({ step }) => {
      steps.push(step);
      if (step === 2) await gate.pass();
    });
    await outbox.moves('a', 5);
    const loop = startLoop(outbox, { routes: { moved } });
    await gate.reached;
    const draining = loop.dispatcher.drain();
    expect(loop.dispatcher.drain()).toBe(draining);
    expect(loop.dispatcher.state()).toBe('draining');
    await expect.poll(() => outbox.query('select from waybill.dispatcher where draining')).toHaveLength(1);
    await outbox.moves('b', 1);
    gate.open();
    expect(await draining).toMatchObject({ complete: true, interrupted: 0, unsettled: 0 });
    await loop.dispatcher.done;
    expect(steps).toEqual([1, 2]);
    expect(await leased(outbox)).toEqual([]);
    expect(await waiting(outbox)).toEqual(Array.from({ length: 4 }, () => ({ attempt: 0, due_at: null })));
    expect(await outbox.query('select from waybill.dispatcher where left_at is not null')).toHaveLength(1);
    expect(loop.dispatcher.state()).toBe('stopped');
  });

  test('F012: a handler that does not end in time is told to stop and its record given back; its late success is fenced', async () => {
    const outbox = await Outbox.forTest();
    const gate = new Gate();
    const told = new Gate();
    const weigh = call(WeighParcel, async (_payload, { signal }) => {
      signal.addEventListener('abort', () => told.open());
      await gate.pass();
    });
    const id = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    const loop = startLoop(outbox, { routes: { weigh }, settings: { shutdown: { drainMs: 100 } } });
    await gate.reached;
    const report = await loop.dispatcher.drain();
    await told.opened;
    expect(report).toMatchObject({ complete: false, interrupted: 1, unsettled: 0 });
    expect(await leased(outbox)).toEqual([]);
    gate.open();
    await loop.untilLogged('delivered');
    expect((await outbox.record(id))?.state).toBe('pending');
    startLoop(outbox);
    await outbox.untilDispatched(1);
  });

  test('F013: a claim whose answer comes after the drain began gives its rows back', async () => {
    const outbox = await Outbox.forTest();
    const calls: string[] = [];
    const loop = startLoop(outbox, { routes: { moved: call(MoveParcel, ({ parcel }) => void calls.push(parcel)) } });
    await loop.untilRunning();
    const writer = await outbox.pool.connect();
    await writer.query('begin');
    await writer.query('lock table waybill.delivery');
    // The claim has been sent, and waits at the server.
    await expect.poll(() => waitingClaims(outbox)).toHaveLength(1);
    for (const step of [1, 2, 3]) await enqueue(writer, MoveParcel, { parcel: 'a', step, depot: 'd' });
    const draining = loop.dispatcher.drain();
    await writer.query('commit');
    writer.release();
    expect(await draining).toMatchObject({ complete: true, unsettled: 0 });
    expect(calls).toEqual([]);
    // They were claimed, or this would prove nothing.
    expect(await outbox.query('select fence::text from waybill.delivery order by position limit 1')).toEqual([
      { fence: '1' },
    ]);
    expect(await leased(outbox)).toEqual([]);
    expect(await waiting(outbox)).toEqual(Array.from({ length: 3 }, () => ({ attempt: 0, due_at: null })));
  });

  test('F012: before the store was ever reached it ends at once', async () => {
    const outbox = await Outbox.forTest({ empty: true });
    const loop = startLoop(outbox);
    await loop.untilLogged(/the store is not usable/);
    expect(await loop.dispatcher.drain()).toMatchObject({ complete: true });
    await loop.dispatcher.done;
  });

  test('F012: in an outage it ends in bounded time and says what was not written down', async () => {
    const outbox = await Outbox.forTest();
    await using proxy = await TcpProxy.before(outbox.url);
    const gate = new Gate();
    await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    const loop = startLoop(outbox, {
      url: proxy.url,
      routes: { weigh: call(WeighParcel, () => gate.pass()) },
      settings: QUICK,
    });
    await gate.reached;
    proxy.cut();
    gate.open();
    expect(await loop.dispatcher.drain()).toMatchObject({ complete: false, interrupted: 0, unsettled: 1 });
    await loop.dispatcher.done;
  });

  test('F006: after a fault the process is silent from the moment that it stops to renew, so that what was in hand is found out when its lease ends', async () => {
    const outbox = await Outbox.forTest();
    const gate = new Gate();
    await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    const loop = startLoop(outbox, {
      routes: { weigh: call(WeighParcel, () => gate.pass()) },
      settings: { shutdown: { drainMs: 500 }, lease: { leaseMs: 20_000, renewEveryMs: 100 } },
    });
    await gate.reached;
    // What is told to stop has a second, in which a heartbeat would beat ten times.
    expect(await loop.dispatcher.drain('fault')).toMatchObject({ complete: false, interrupted: 1, unsettled: 1 });
    const found = await outbox.query(
      `select extract(epoch from d.lease_expires_at - w.seen_at) > 19.4 as silent, w.left_at is null as died
       from waybill.delivery d join waybill.dispatcher w on w.id = d.lease_owner`,
    );
    expect(found).toEqual([{ silent: true, died: true }]);
    gate.open();
  });

  test('an abort ends at once, also a drain that is under way', async () => {
    const outbox = await Outbox.forTest();
    const gate = new Gate();
    const told = new Gate();
    await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    const weigh = call(WeighParcel, async (_payload, { signal }) => {
      signal.addEventListener('abort', () => told.open());
      await gate.pass();
    });
    const loop = startLoop(outbox, { routes: { weigh }, settings: { shutdown: { drainMs: 3_600_000 } } });
    await gate.reached;
    const draining = loop.dispatcher.drain();
    loop.dispatcher.abort();
    await loop.dispatcher.done;
    await told.opened;
    expect(await draining).toMatchObject({ complete: false });
    expect(loop.dispatcher.state()).toBe('stopped');
  });
});
