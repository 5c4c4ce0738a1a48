import { entry } from '@waybill/store';
import { describe, expect, test } from 'vitest';
import { Gate } from '../../test/gate.ts';
import { Outbox, startLoop } from '../../test/loop.ts';
import { MoveParcel, NotifyOwner, WeighParcel } from '../../test/parcels.ts';
import { call } from '../routes/call.ts';
import { handle } from '../routes/handle.ts';
import { type Clock, systemClock } from './clock.ts';

describe('the loop', () => {
  test('W10, I01: claims, delivers and settles, each key in its order', async () => {
    const outbox = await Outbox.forTest();
    const steps = new Map<string, number[]>();
    const moved = call(MoveParcel, ({ parcel, step }) => {
      steps.set(parcel, [...(steps.get(parcel) ?? []), step]);
    });
    const loop = startLoop(outbox, { routes: { moved } });
    await Promise.all(['a', 'b', 'c'].map((parcel) => outbox.moves(parcel, 20)));
    const rows = await outbox.untilDispatched(60);
    expect([...steps.values()]).toEqual(
      Array.from({ length: 3 }, () => Array.from({ length: 20 }, (_, index) => index + 1)),
    );
    expect(rows.every(({ attempt }) => attempt === 1)).toBe(true);
    expect(await loop.dispatcher.drain()).toMatchObject({ complete: true, interrupted: 0, unsettled: 0 });
    expect(loop.dispatcher.state()).toBe('stopped');
  });

  test('Q02, Q01: a handler that never ends occupies its worker only', async () => {
    const outbox = await Outbox.forTest();
    const blocked = new Gate();
    await outbox.enqueue(WeighParcel, { parcel: 'stuck', grams: 1 });
    const loop = startLoop(outbox, { routes: { weigh: call(WeighParcel, () => blocked.pass()) } });
    await blocked.reached;
    await outbox.moves('free', 30);
    await outbox.untilDispatched(30);
    blocked.open();
    await outbox.untilDispatched(31);
    expect(loop.dispatcher.state()).toBe('running');
  });

  test('finding 16: rows that another cluster has stamped are stamped anew before the first claim', async () => {
    const outbox = await Outbox.forTest();
    await outbox.moves('restored', 2);
    await outbox.query(`update waybill.delivery set ready_xid = '1000000000000' where ready_xid is not null`);
    const handled = new Gate();
    startLoop(outbox, { routes: { moved: call(MoveParcel, () => handled.pass()) } });
    await handled.reached;
    expect(
      await outbox.query('select ready_xid::text = $1 as is_old from waybill.delivery where lease_owner is not null', [
        '1000000000000',
      ]),
    ).toEqual([{ is_old: false }]);
    handled.open();
    await outbox.untilDispatched(2);
  });

  test.each([1, 10])(
    'F075: a backlog is drained at the speed of its handlers, with %d workers and an idle interval of a second',
    async (concurrency) => {
      const outbox = await Outbox.forTest();
      await outbox.enqueueMany(
        Array.from({ length: 1_000 }, (_, n) => entry(NotifyOwner, { owner: `o${n}`, text: 't' })),
      );
      // Long rests that nobody cut short.
      let rests = 0;
      const sleep: Clock['sleep'] = async (ms, signal) => {
        const startedAt = systemClock.now();
        await systemClock.sleep(ms, signal);
        if (ms >= 200 && systemClock.now() - startedAt >= ms) rests += 1;
      };
      startLoop(outbox, {
        settings: { workers: { concurrency, runLength: 50 }, polling: { busyMs: 5, idleMs: 1_000 } },
        clock: { now: () => systemClock.now(), sleep },
      });
      await outbox.untilCount('waybill.dispatched', 1_000);
      // Not one for each record, nor for every tenth; some are the heartbeat's.
      expect(rests).toBeLessThan(100);
    },
  );

  test('F014: records whose handlers throw whatever can be thrown end dead, with a readable error, and the loop goes on', async () => {
    const outbox = await Outbox.forTest();
    const thrown: readonly unknown[] = [
      undefined,
      null,
      10n,
      Symbol('s'),
      Object.create(null),
      'a\u0000b\ud800',
      new Error('x'.repeat(5_000_000)),
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('trap');
          },
        },
      ),
    ];
    // In the database, since a destination that fails like this would be left alone for a while.
    const weigh = handle(WeighParcel, ({ grams }) => {
      throw thrown[grams];
    });
    await outbox.enqueueMany(thrown.map((_, grams) => entry(WeighParcel, { parcel: String(grams), grams })));
    startLoop(outbox, { routes: { weigh }, settings: { retry: { maxAttempts: 2, baseMs: 1, factor: 1, capMs: 1 } } });
    const rows = await outbox.until((all) => all.every(({ state }) => state === 'dead-letter'));
    expect(rows.map(({ attempt }) => attempt)).toEqual(thrown.map(() => 2));
    expect(
      rows.every(
        ({ last_error }) =>
          last_error !== null && last_error.startsWith('retry (handler-error)') && last_error.length < 3_000,
      ),
    ).toBe(true);
  });
});
