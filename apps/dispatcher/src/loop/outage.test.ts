import { migrate, openStore } from '@waybill/store';
import { connectPg } from '@waybill/store/pg';
import { startTcpProxy } from '@waybill/testkit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Gate } from '../../test/gate.ts';
import { Outbox, PATIENCE, QUICK, startLoop } from '../../test/loop.ts';
import { MoveParcel, WeighParcel } from '../../test/parcels.ts';
import { TcpProxy } from '../../test/tcp-proxy.ts';
import { call } from '../routes/call.ts';

const warnings = (lines: readonly Record<string, unknown>[]): readonly unknown[] =>
  lines.filter(({ level }) => level === 40 || level === 50).map(({ msg }) => msg);

async function migrated(outbox: Outbox): Promise<void> {
  const database = connectPg({ url: outbox.url, max: 1 });
  await migrate(openStore(database));
  await database.close();
}

describe('W22, W24: a cold start before the migration', () => {
  test('W24: nothing is claimed from a store that is not ready, and the loop goes on by itself once it is', async () => {
    const outbox = await Outbox.forTest({ empty: true });
    const loop = startLoop(outbox);
    await loop.untilLogged(/the store is not usable/);
    await expect.poll(() => loop.dispatcher.health()).toMatchObject({ schema: 'absent', registered: false });
    expect(loop.dispatcher.state()).toBe('starting');
    await migrated(outbox);
    await outbox.moves('a', 3);
    await outbox.untilDispatched(3);
    expect(loop.dispatcher.state()).toBe('running');
    expect(loop.dispatcher.health()).toMatchObject({ schema: 'ready', registered: true, draining: false });
    // However often it tried, the log has one line for the trouble and one for its end.
    expect(warnings(loop.lines)).toHaveLength(1);
    await loop.untilLogged(/the store is not usable.*: over/);
  });

  test('W22: a server that refuses connections is waited for with a backoff', async () => {
    const outbox = await Outbox.forTest();
    await using proxy = await TcpProxy.before(outbox.url);
    proxy.cut();
    const loop = startLoop(outbox, { url: proxy.url });
    await loop.untilLogged(/the store is not usable/);
    const before = loop.dispatcher.health().loopAgeMs;
    proxy.restore();
    await outbox.moves('a', 1);
    await outbox.untilDispatched(1);
    expect(before).toBeLessThan(10_000);
    expect(warnings(loop.lines)).toHaveLength(1);
  });
});

describe('I10, F017, F027: an outage in the middle of work', () => {
  test('F052, I10: handlers that succeed meanwhile are settled afterwards, charged nothing and not delivered again', async () => {
    const outbox = await Outbox.forTest();
    await using proxy = await TcpProxy.before(outbox.url);
    const gate = new Gate();
    const calls: string[] = [];
    const weigh = call(WeighParcel, async ({ parcel }) => {
      calls.push(parcel);
      await gate.pass();
    });
    for (const parcel of ['a', 'b', 'c']) await outbox.enqueue(WeighParcel, { parcel, grams: 1 });
    // A long lease: what is in hand outlives the outage under its old claim.
    const loop = startLoop(outbox, {
      url: proxy.url,
      routes: { weigh },
      settings: { lease: { leaseMs: 60_000, renewEveryMs: 20_000 } },
    });
    await expect.poll(() => calls).toHaveLength(3);
    proxy.cut();
    gate.open();
    await loop.untilLogged(/the store is not usable/);
    await expect.poll(() => loop.dispatcher.state()).toBe('degraded');
    proxy.restore();
    const rows = await outbox.untilDispatched(3);
    expect(rows.map(({ attempt, last_error }) => [attempt, last_error])).toEqual([
      [1, null],
      [1, null],
      [1, null],
    ]);
    expect([...calls].sort()).toEqual(['a', 'b', 'c']);
    await loop.untilRunning();
    expect(warnings(loop.lines)).toHaveLength(1);
  });

  test('F007, F017: after every connection was ended by the server the loop goes on under a new owner id', async () => {
    const outbox = await Outbox.forTest();
    const loop = startLoop(outbox);
    await outbox.moves('a', 2);
    await outbox.untilDispatched(2);
    for (const round of [1, 2]) {
      await outbox.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name like $1', [
        `${loop.applicationName}%`,
      ]);
      await outbox.moves(`b${round}`, 2);
      await outbox.untilDispatched(2 + 2 * round);
    }
    // What the last session delivered may be written down before the one before it has signed off.
    await vi.waitFor(async () => {
      const registered = await outbox.query(
        'select id::text, left_at is null as here from waybill.dispatcher order by started_at',
      );
      expect(registered.map(({ id }) => id)).toEqual(loop.owners);
      expect(registered.filter(({ here }) => here === true).map(({ id }) => id)).toEqual([loop.owners.at(-1)]);
    }, PATIENCE);
  });

  test('F050, I10: a server that only reads after a failover is an outage, charged to no record, and over once one writes again', async () => {
    const outbox = await Outbox.forTest();
    const loop = startLoop(outbox);
    await loop.untilRunning();
    const [{ name } = {}] = await outbox.query('select quote_ident(current_database()) as name');
    const alter = (change: string) =>
      outbox.query(`set transaction read write; alter database ${String(name)} ${change}`);
    await alter('set default_transaction_read_only = on');
    await outbox.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name like $1', [
      `${loop.applicationName}%`,
    ]);
    await loop.untilLogged(/the store is not usable/);
    await vi.waitFor(() => expect(loop.dispatcher.state()).toBe('degraded'), { timeout: 15_000 });
    await alter('reset default_transaction_read_only');
    await vi.waitFor(() => outbox.moves('a', 1), { timeout: 15_000 });
    const [record] = await outbox.untilDispatched(1);
    expect(record).toMatchObject({ attempt: 1 });
    expect(loop.dispatcher.state()).toBe('running');
  });

  test('F026: connections on which nothing arrives any more are given up, and work goes on over new ones', async () => {
    const outbox = await Outbox.forTest();
    await using proxy = await TcpProxy.before(outbox.url);
    const loop = startLoop(outbox, { url: proxy.url, statementTimeoutMs: 500 });
    await outbox.moves('a', 1);
    await outbox.untilDispatched(1);
    proxy.freeze();
    await loop.untilLogged(/the store is not usable/);
    // The old connections stay frozen; only new ones pass.
    proxy.passNewOnly();
    await outbox.moves('b', 1);
    await outbox.untilDispatched(2);
    await loop.untilRunning();
  });

  test('I10 W21: a store whose answers are late is slow and not away: its lease is kept, nothing is charged and nothing warned of', async () => {
    const outbox = await Outbox.forTest();
    const url = new URL(outbox.url);
    const line = await startTcpProxy(Number(url.port));
    onTestFinished(() => line.stop());
    url.port = String(line.port);
    await line.become('slow');
    const gate = new Gate();
    const loop = startLoop(outbox, {
      url: url.href,
      routes: { weigh: call(WeighParcel, () => gate.pass()) },
      settings: { lease: { leaseMs: 5_000, renewEveryMs: 1_000 } },
    });
    const id = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    await gate.reached;
    const renewals = `select count(*)::integer as late from waybill.delivery d, waybill.dispatcher w
      where w.id = d.lease_owner and w.seen_at > w.started_at + interval '6 seconds' and d.lease_expires_at > clock_timestamp()`;
    // Longer than the lease lasts without being renewed.
    await expect.poll(() => outbox.query(renewals)).toEqual([{ late: 1 }]);
    gate.open();
    await outbox.untilDispatched(1);
    expect(await outbox.record(id)).toMatchObject({ state: 'dispatched', attempt: 1 });
    expect(warnings(loop.lines)).toEqual([]);
    expect(loop.dispatcher.state()).toBe('running');
  });

  test('F027: an outage is polled a few times, not in a loop', async () => {
    const outbox = await Outbox.forTest();
    await using proxy = await TcpProxy.before(outbox.url);
    const loop = startLoop(outbox, { url: proxy.url, random: () => 0.999 });
    await loop.untilRunning();
    proxy.cut();
    const startedAt = performance.now();
    await loop.untilLogged(/the store is not usable/);
    const before = proxy.refused;
    // Rests of 250, 500, 1000 ms and so on, each for the claims; the heartbeat has its own.
    await expect.poll(() => proxy.refused - before).toBeGreaterThanOrEqual(5);
    expect(performance.now() - startedAt).toBeGreaterThan(1_000);
    expect(warnings(loop.lines)).toHaveLength(1);
  });

  test('F043: a target that is down costs attempts with a growing rest; order and records survive', async () => {
    const outbox = await Outbox.forTest();
    let isDown = true;
    const seen: number[] = [];
    const moved = call(MoveParcel, ({ step }) => {
      if (isDown) return { outcome: 'retry', class: 'down' };
      seen.push(step);
      return undefined;
    });
    startLoop(outbox, {
      routes: { moved },
      settings: { ...QUICK, retry: { maxAttempts: 1_000, baseMs: 10, factor: 2, capMs: 100 } },
    });
    await outbox.moves('a', 5);
    await outbox.until((rows) => rows.some(({ attempt }) => attempt >= 3));
    isDown = false;
    await outbox.untilDispatched(5);
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });
});
