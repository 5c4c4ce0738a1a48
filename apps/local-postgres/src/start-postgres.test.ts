import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { LocalPostgresError } from './error.ts';
import { startPostgres } from './start-postgres.ts';

/** A connection that stays, to see the server go. */
async function witness(url: string): Promise<{ readonly gone: Promise<unknown>; readonly directory: string }> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  const gone = new Promise((resolve) => client.once('end', resolve));
  await client.connect();
  const result = await client.query<{ data_directory: string }>('show data_directory');
  return { gone, directory: dirname(result.rows[0]!.data_directory) };
}

async function setting(url: string, name: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<{ value: string }>('select current_setting($1) as value', [name])).rows[0]?.value;
  } finally {
    await client.end();
  }
}

test('a server has the given settings, listens on loopback alone and leaves nothing behind', async () => {
  const server = await startPostgres({ settings: { fsync: 'off', max_connections: '17' } });
  const seen = await witness(server.url);
  expect(await setting(server.url, 'server_version_num')).toMatch(/^18/);
  expect(await setting(server.url, 'max_connections')).toBe('17');
  expect(await setting(server.url, 'listen_addresses')).toBe('127.0.0.1');
  expect(await setting(server.url, 'unix_socket_directories')).toBe('');
  await server.stop();
  await seen.gone;
  expect(existsSync(seen.directory)).toBe(false);
});

test('F089: a taken port is no obstacle, and a server killed behind our back can still be stopped, twice', async () => {
  const first = await startPostgres();
  const second = await startPostgres({ port: Number(new URL(first.url).port) });
  expect(new URL(second.url).port).not.toBe(new URL(first.url).port);
  await second.stop();

  const seen = await witness(first.url);
  process.kill(first.pid!, 'SIGKILL');
  await seen.gone;
  await first.stop();
  await first.stop();
  expect(existsSync(seen.directory)).toBe(false);
});

test('F089: a server dies with a parent that is killed, whatever the locale and the PG* variables say', async () => {
  const parent = spawn(process.execPath, ['--import', 'jiti/register', 'src/start-postgres.fixture.ts'], {
    cwd: dirname(import.meta.dirname),
    env: { PATH: process.env['PATH'], LANG: 'xx_XX.nonsense', LC_ALL: 'xx_XX.nonsense', PGSSLMODE: 'require' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface(parent.stdout), 'line')) as [string];
  const seen = await witness(url);
  parent.kill('SIGKILL');
  await seen.gone;
  await expect.poll(() => existsSync(seen.directory)).toBe(false);
});

test('a server that refuses its settings is an error that shows its log', async () => {
  const start = startPostgres({ settings: { no_such_setting: '1' } });
  const error = await start.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LocalPostgresError);
  expect(error).toMatchObject({ code: 'PGL_START_FAILED', message: expect.stringContaining('no_such_setting') });
});
