import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startPostgres } from './start-postgres.ts';
import { startStandby } from './start-standby.ts';

async function clientOf(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test('a standby has what its primary writes, only reads until it is promoted, and shows no password among its arguments', async () => {
  const primary = await startPostgres();
  onTestFinished(() => primary.stop());
  const writer = await clientOf(primary.url);
  await writer.query('create table before (n integer)');
  const standby = await startStandby(primary);
  onTestFinished(() => standby.stop());
  await writer.query('create table after (n integer)');

  const reader = await clientOf(standby.url);
  await vi.waitFor(() => reader.query('select * from before, after'), { timeout: 60_000 });
  await expect(reader.query('insert into before values (1)')).rejects.toMatchObject({ code: '25006' });
  expect(await readFile(`/proc/${String(standby.pid)}/cmdline`, 'utf8')).not.toContain(new URL(primary.url).password);

  await reader.query('select pg_promote()');
  await reader.query('insert into before values (1)');
  expect((await writer.query('select * from before')).rows).toEqual([]);
});
