import { entry, listPauses, openStore, pause, resume } from '@waybill/store';
import { connectPg } from '@waybill/store/pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Gate } from '../../test/gate.ts';
import { Outbox, startLoop } from '../../test/loop.ts';
import { MoveParcel, NotifyOwner, WeighParcel } from '../../test/parcels.ts';
import { call } from '../routes/call.ts';

const BY = { actor: 'anna', reason: 'the provider asks us to wait' };

function storeOf(outbox: Outbox) {
  const database = connectPg({ url: outbox.url, max: 1 });
  onTestFinished(() => database.close());
  return openStore(database);
}
const notices = (count: number) =>
  Array.from({ length: count }, (_, n) => entry(NotifyOwner, { owner: `o${n}`, text: 't' }));
const reasonOf = async (outbox: Outbox, id: string): Promise<unknown> =>
  (await outbox.query('select pending_reason, attempt from waybill.record where id = $1', [id]))[0];

describe('O01: pauses', () => {
  test('O01: what is paused waits, is shown as paused, uses up no attempt, and goes on when it is resumed', async () => {
    const outbox = await Outbox.forTest();
    const store = storeOf(outbox);
    expect(await pause(store, { type: NotifyOwner.type }, BY)).toEqual({ status: 'done' });
    expect(await pause(store, { type: NotifyOwner.type }, BY)).toEqual({ status: 'already-paused' });
    const loop = startLoop(outbox);
    await loop.untilRunning();
    await loop.untilLogged(/what is paused has changed/);
    const id = await outbox.enqueue(NotifyOwner, { owner: 'o', text: 't' });
    await outbox.moves('a', 3);
    await outbox.untilDispatched(3);
    expect(await reasonOf(outbox, id)).toEqual({ pending_reason: 'paused', attempt: 0 });
    expect(await listPauses(store)).toMatchObject([{ type: NotifyOwner.type, destination: null, ...BY }]);
    expect(await resume(store, { type: NotifyOwner.type }, BY)).toMatchObject({ status: 'done', was: BY });
    expect(await resume(store, { type: NotifyOwner.type }, BY)).toEqual({ status: 'not-paused' });
    await outbox.untilDispatched(4);
    expect(await outbox.query('select actor, action, what from waybill.audit order by id')).toMatchObject([
      { actor: 'anna', action: 'pause', what: { selection: { type: NotifyOwner.type } } },
      { actor: 'anna', action: 'resume' },
    ]);
  });

  test('O01: a destination is paused by its name, also with records claimed already', async () => {
    const outbox = await Outbox.forTest();
    const store = storeOf(outbox);
    const gate = new Gate();
    const seen: string[] = [];
    const notify = call(NotifyOwner, async ({ owner }) => {
      seen.push(owner);
      if (seen.length === 1) await gate.pass();
    });
    await outbox.enqueueMany(notices(20));
    const loop = startLoop(outbox, {
      routes: { notify },
      settings: { workers: { concurrency: 1, runLength: 50 }, lease: { leaseMs: 30_000, renewEveryMs: 5_000 } },
    });
    await gate.reached;
    await pause(store, { destination: NotifyOwner.type }, BY);
    await outbox.moves('a', 1);
    gate.open();
    await loop.untilLogged(/what is paused has changed/);
    await outbox.until((rows) => rows.filter(({ state }) => state === 'processing').length === 0);
    const before = seen.length;
    await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    await outbox.until((rows) => rows.some(({ type, state }) => type === WeighParcel.type && state === 'dispatched'));
    expect(seen).toHaveLength(before);
    expect((await outbox.records()).every(({ attempt }) => attempt <= 1)).toBe(true);
    await resume(store, { destination: NotifyOwner.type }, BY);
    await outbox.untilDispatched(22);
  });
});

describe('O01: limits and breakers', () => {
  test('O01 F043: a destination that fails costs few attempts, delays no other, and is tried again until it works', async () => {
    const outbox = await Outbox.forTest();
    let works = false;
    const notify = call(NotifyOwner, () => {
      if (!works) throw new Error('down');
    });
    await outbox.enqueueMany(notices(200));
    const loop = startLoop(outbox, {
      routes: { notify },
      settings: { retry: { maxAttempts: 25, baseMs: 1, factor: 1, capMs: 1 } },
    });
    await loop.untilLogged(/the destination fails/);
    await outbox.moves('a', 5);
    await outbox.untilDispatched(5);
    const [burnt] = await outbox.query(
      'select sum(attempt)::integer as attempts, max(attempt) as most from waybill.delivery',
    );
    expect(burnt?.['attempts']).toBeLessThan(30);
    works = true;
    await loop.untilLogged('the destination works again');
    await outbox.untilDispatched(205);
  });

  test('O01: no more records are on their way than a destination may take, and others have the other workers', async () => {
    const outbox = await Outbox.forTest();
    let now = 0;
    let most = 0;
    const gate = new Gate();
    const notify = call(NotifyOwner, async () => {
      now += 1;
      most = Math.max(most, now);
      await gate.pass();
      now -= 1;
    });
    await outbox.enqueueMany(notices(50));
    startLoop(outbox, { routes: { notify }, limits: { [NotifyOwner.type]: { concurrency: 2 } } });
    await gate.reached;
    await outbox.moves('a', 10);
    await outbox.untilDispatched(10);
    expect(now).toBe(2);
    gate.open();
    await outbox.untilDispatched(60);
    expect(most).toBe(2);
  });

  test('O01: a destination gets no more records in a second than it may, and nothing is counted as an attempt', async () => {
    const outbox = await Outbox.forTest();
    const times: number[] = [];
    const notify = call(NotifyOwner, () => void times.push(performance.now()));
    await outbox.enqueueMany(notices(12));
    const startedAt = performance.now();
    startLoop(outbox, { routes: { notify }, limits: { [NotifyOwner.type]: { perSecond: 4 } } });
    const rows = await outbox.untilDispatched(12);
    expect(rows.every(({ attempt }) => attempt === 1)).toBe(true);
    // Four at once, and a further one with each quarter of a second: later on a busy machine, and never before.
    for (const [index, time] of times.entries())
      expect(time - startedAt, String(index)).toBeGreaterThan((index - 3) * 250 - 50);
  });

  test('O01 Q10: a key whose records go to two destinations keeps its order while one of them is paused', async () => {
    const outbox = await Outbox.forTest();
    const store = storeOf(outbox);
    const order: string[] = [];
    await pause(store, { type: MoveParcel.type }, BY);
    await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    await outbox.enqueue(MoveParcel, { parcel: 'a', step: 1, depot: 'd' });
    await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 2 });
    startLoop(outbox, {
      routes: {
        weigh: call(WeighParcel, ({ grams }) => void order.push(`weigh ${grams}`)),
        moved: call(MoveParcel, ({ step }) => void order.push(`move ${step}`)),
      },
    });
    await outbox.untilDispatched(1);
    await outbox.enqueue(WeighParcel, { parcel: 'b', grams: 3 });
    await outbox.untilDispatched(2);
    expect(order).toEqual(['weigh 1', 'weigh 3']);
    await resume(store, { type: MoveParcel.type }, BY);
    await outbox.untilDispatched(4);
    expect(order.slice(2)).toEqual(['move 1', 'weigh 2']);
  });
});
