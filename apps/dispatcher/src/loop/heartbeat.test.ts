import { expect, onTestFinished, test } from 'vitest';
import { Outbox, startLoop } from '../../test/loop.ts';

test('F018: a heartbeat that takes many times its interval has no second one beside it, and work goes on meanwhile', async () => {
  const outbox = await Outbox.forTest();
  const loop = startLoop(outbox, { settings: { lease: { leaseMs: 30_000, renewEveryMs: 20 } } });
  await outbox.moves('first', 1);
  await outbox.untilDispatched(1);
  const holder = await outbox.pool.connect();
  // A connection that is ended gives its locks back, however the test ends.
  onTestFinished(() => holder.release(true));
  await holder.query('begin');
  await holder.query('select from waybill.dispatcher for update');
  const waiting = async (): Promise<number> => {
    const rows = await outbox.query(
      `select pid from pg_stat_activity where application_name = $1 || '-beat' and wait_event_type = 'Lock'`,
      [loop.applicationName],
    );
    return rows.length;
  };
  await expect.poll(waiting).toBe(1);
  // Many heartbeats are due meanwhile.
  for (let step = 1; step <= 20; step += 1) {
    await outbox.moves(`parcel ${step}`, 5);
    await outbox.untilDispatched(1 + 5 * step);
    expect(await waiting()).toBe(1);
  }
  await holder.query('rollback');
  await expect.poll(waiting).toBe(0);
});
