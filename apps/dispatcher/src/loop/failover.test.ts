import { createDatabase, startPostgres, startStandby } from '@waybill/local-postgres';
import { migrate, openStore } from '@waybill/store';
import { connectPg } from '@waybill/store/pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Outbox, PATIENCE, startLoop } from '../../test/loop.ts';
import { MoveParcel } from '../../test/parcels.ts';
import { TcpProxy } from '../../test/tcp-proxy.ts';
import { call } from '../routes/call.ts';

/** A primary and a standby that has seen all that the primary has written so far, with one address in front of both. */
async function startPair() {
  const primary = await startPostgres();
  onTestFinished(() => primary.stop());
  const url = await createDatabase(primary.url);
  const database = connectPg({ url, max: 1 });
  await migrate(openStore(database));
  await database.close();
  const standby = await startStandby(primary);
  onTestFinished(() => standby.stop());
  const standbyUrl = new URL(url);
  standbyUrl.port = new URL(standby.url).port;
  const address = await TcpProxy.before(url);
  onTestFinished(() => address[Symbol.asyncDispose]());
  return { primary, standbyUrl: standbyUrl.href, address };
}

async function one(url: string, text: string): Promise<unknown> {
  const database = connectPg({ url, max: 1 });
  try {
    return (await database.query(`select (${text})::text as value`, []))[0]?.['value'];
  } finally {
    await database.close();
  }
}

test('F050 I10: after a failover the standby is an outage as long as it only reads, and goes on where the primary ended once it is promoted', async () => {
  const { primary, standbyUrl, address } = await startPair();
  const outbox = Outbox.at(address.url);
  const steps: string[] = [];
  const moved = call(MoveParcel, ({ parcel, step }) => void steps.push(`${parcel}${String(step)}`));
  const loop = startLoop(outbox, { routes: { moved } });
  await outbox.moves('a', 2);
  await outbox.untilDispatched(2);
  const written = await one(address.url, 'pg_current_wal_flush_lsn()');
  await vi.waitFor(async () => {
    expect(await one(standbyUrl, `pg_last_wal_replay_lsn() >= '${String(written)}'::pg_lsn`)).toBe('true');
  }, PATIENCE);

  await primary.stop();
  address.switchTo(standbyUrl);
  await loop.untilLogged(/the store is not usable/);
  await vi.waitFor(() => expect(loop.dispatcher.state()).toBe('degraded'), PATIENCE);
  expect(await one(standbyUrl, 'pg_is_in_recovery()')).toBe('true');

  expect(await one(standbyUrl, 'pg_promote()')).toBe('true');
  await vi.waitFor(() => outbox.moves('b', 1), PATIENCE);
  const records = await outbox.untilDispatched(3);
  expect(records.map(({ attempt, last_error }) => [attempt, last_error])).toEqual(
    Array.from({ length: 3 }, () => [1, null]),
  );
  expect(steps).toEqual(['a1', 'a2', 'b1']);
  await loop.untilRunning();
});
