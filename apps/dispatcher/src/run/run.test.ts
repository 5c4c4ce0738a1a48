import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabase } from '@waybill/local-postgres/vitest';
import { startTcpProxy, type TcpProxy } from '@waybill/testkit';
import { describe, expect, test } from 'vitest';
import { rows, send } from '../../test/database.ts';
import { MoveParcel, NotifyOwner, WeighParcel } from '../../test/parcels.ts';
import { RunningDispatcher } from '../../test/running-dispatcher.ts';
import { waybill } from '../../test/waybill-process.ts';

async function status(url: string): Promise<number> {
  return (await fetch(url)).status;
}

/** The same database behind a line that can be broken. */
async function behindProxy(url: string): Promise<{ readonly url: string; readonly proxy: TcpProxy }> {
  const direct = new URL(url);
  const proxy = await startTcpProxy(Number(direct.port));
  direct.port = String(proxy.port);
  return { url: direct.href, proxy };
}

describe('waybill run', () => {
  test('D04 W24 F012: gets ready, delivers over a transport and into the database, drains on SIGTERM and exits with 0', async () => {
    await using database = await testDatabase();
    await rows(database.url, 'create table weight (parcel text, grams integer)');
    const moves = join(await mkdtemp(join(tmpdir(), 'waybill-run-')), 'moves.jsonl');
    await using dispatcher = new RunningDispatcher('parcels.config.ts', {
      WAYBILL_DATABASE_URL: database.url,
      MOVES_FILE: moves,
    });
    const health = await dispatcher.healthUrl();
    await expect.poll(() => status(`${health}/readyz`)).toBe(200);
    expect((await waybill(['health', '--url', `${health}/readyz`])).code).toBe(0);

    const id = await send(database.url, MoveParcel, { parcel: '7', step: 1, depot: 'north' });
    await send(database.url, WeighParcel, { parcel: '7', grams: 900 });
    await expect
      .poll(() => rows(database.url, 'select parcel, grams from weight'))
      .toEqual([{ parcel: '7', grams: 900 }]);
    await expect.poll(() => readFile(moves, 'utf8')).toContain(id);

    dispatcher.signal('SIGTERM');
    expect(await dispatcher.exitCode()).toBe(0);
    // Nor had the process to be ended by force.
    expect(dispatcher.stderr).toBe('');
    expect(await rows(database.url, 'select distinct state from waybill.record')).toEqual([{ state: 'dispatched' }]);
    expect(dispatcher.lines.every((line) => line['build'] === 'parcels@1.0.0')).toBe(true);
  });

  test('F056 D04: works with a schema whose name has to be quoted', async () => {
    await using database = await testDatabase({ empty: true });
    const environment = { WAYBILL_DATABASE_URL: database.url, WAYBILL_SCHEMA: 'My "Out-Box"' };
    expect((await waybill(['schema', 'doctor'], environment)).code).toBe(5);
    expect((await waybill(['schema', 'apply', '--dry-run'], environment)).stdout).toMatch(/^absent: /);
    expect((await waybill(['schema', 'apply'], environment)).stdout).toMatch(/^applied /);
    expect((await waybill(['schema', 'apply'], environment)).stdout).toMatch(/^up to date/);
    const doctor = await waybill(['schema', 'doctor', '--json'], environment);
    const healthy = { schema: 'waybill.cli/v1', status: 'ready', compared: true, findings: [] };
    expect([doctor.code, JSON.parse(doctor.stdout)]).toEqual([0, healthy]);
    await using dispatcher = new RunningDispatcher('parcels.config.ts', environment);
    const health = await dispatcher.healthUrl();
    await expect.poll(() => status(`${health}/readyz`)).toBe(200);
    dispatcher.signal('SIGTERM');
    expect(await dispatcher.exitCode()).toBe(0);
  });

  test('S07: the doctor names what has drifted, and exits with 5', async () => {
    await using database = await testDatabase();
    const environment = { WAYBILL_DATABASE_URL: database.url };
    await rows(database.url, 'drop index waybill.delivery_due');
    const { code, stdout } = await waybill(['schema', 'doctor'], environment);
    expect([code, stdout]).toEqual([5, expect.stringMatching(/^index delivery_due is missing; expected CREATE INDEX/)]);
    const { stdout: json } = await waybill(['schema', 'doctor', '--json'], environment);
    expect(JSON.parse(json)).toMatchObject({ findings: [{ kind: 'missing', object: 'index delivery_due' }] });
  });

  test('I02: with positions that would not grow nothing is claimed until the sequence is mended', async () => {
    await using database = await testDatabase();
    await rows(database.url, 'alter sequence waybill.position_seq cache 20');
    await using dispatcher = new RunningDispatcher('trouble.config.mjs', { WAYBILL_DATABASE_URL: database.url });
    const health = await dispatcher.healthUrl();
    await dispatcher.line(({ error }) => String(error).includes('alter sequence'));
    expect(await status(`${health}/readyz`)).toBe(503);
    await rows(database.url, 'alter sequence waybill.position_seq cache 1');
    await expect.poll(() => status(`${health}/readyz`)).toBe(200);
  });

  test('W21 W22 W24: without a database it lives, is not ready, says so once, and still stops at once', async () => {
    // Of handlers alone, so that nothing but the store can be missing.
    await using dispatcher = new RunningDispatcher('trouble.config.mjs', {
      WAYBILL_DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:9/none',
    });
    const health = await dispatcher.healthUrl();
    await dispatcher.line(({ msg }) => msg === 'the store is not usable; nothing is claimed until it is');
    expect(await status(`${health}/livez`)).toBe(200);
    const ready = await fetch(`${health}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'failing', problems: ['store-unavailable'] }]);
    dispatcher.signal('SIGINT');
    expect(await dispatcher.exitCode()).toBe(0);
    expect(dispatcher.lines.filter(({ level }) => level === 'warn' || level === 'error')).toHaveLength(1);
    expect(JSON.stringify(dispatcher.lines)).not.toContain('hunter2');
  });

  test('W22 W24: started before the migration it waits for it, and then works without a restart', async () => {
    await using database = await testDatabase({ empty: true });
    const environment = { WAYBILL_DATABASE_URL: database.url };
    await using dispatcher = new RunningDispatcher('trouble.config.mjs', environment);
    const health = await dispatcher.healthUrl();
    const problems = async (): Promise<unknown> => (await fetch(`${health}/readyz`)).json();
    await expect.poll(problems).toEqual({ status: 'failing', problems: ['schema-absent', 'not-registered'] });
    expect((await waybill(['schema', 'apply'], environment)).code).toBe(0);
    await expect.poll(problems).toEqual({ status: 'ok', problems: [] });
  });

  test('W24: probes that cannot be served are an error at the start, and nothing stays claimed', async () => {
    await using database = await testDatabase();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo; // a listening TCP server has one
    const environment = { WAYBILL_DATABASE_URL: database.url, WAYBILL_HEALTH_PORT: String(port) };
    const { code, stderr } = await waybill(['run', '--config', 'trouble.config.mjs'], environment);
    taken.close();
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^waybill: cannot listen on 127\.0\.0\.1 port \d+; .*EADDRINUSE/),
    ]);
  });

  test('F007: a server that ends every connection ends neither the process nor the work', async () => {
    await using database = await testDatabase();
    await using dispatcher = new RunningDispatcher('trouble.config.mjs', { WAYBILL_DATABASE_URL: database.url });
    const health = await dispatcher.healthUrl();
    await expect.poll(() => status(`${health}/readyz`)).toBe(200);
    const ended = await rows(
      database.url,
      "select pg_terminate_backend(pid) as ended from pg_stat_activity where application_name = 'waybill/trouble@1.0.0' and datname = current_database()",
    );
    expect(ended).not.toHaveLength(0);
    await send(database.url, NotifyOwner, { owner: 'o', text: 'calm' });
    await dispatcher.line(({ msg, text }) => msg === 'handling' && text === 'calm');
    dispatcher.signal('SIGTERM');
    expect(await dispatcher.exitCode()).toBe(0);
    expect(
      dispatcher.lines.filter(({ code }) => code === 'DSP_UNCAUGHT_EXCEPTION' || code === 'DSP_UNHANDLED_REJECTION'),
    ).toEqual([]);
  });

  test('F026 W21: packets that vanish make it unready, not dead, and it goes on over new connections', async () => {
    await using database = await testDatabase();
    const { url, proxy } = await behindProxy(database.url);
    await using dispatcher = new RunningDispatcher('trouble.config.mjs', {
      WAYBILL_DATABASE_URL: url,
      WAYBILL_DATABASE_CONNECT_TIMEOUT_MS: '500',
      WAYBILL_DATABASE_STATEMENT_TIMEOUT_MS: '500',
      WAYBILL_HEALTH_STALE_AFTER_MS: '1000',
    });
    const health = await dispatcher.healthUrl();
    await expect.poll(() => status(`${health}/readyz`)).toBe(200);

    await proxy.become('hold-answer');
    await expect.poll(() => status(`${health}/readyz`)).toBe(503);
    expect(await status(`${health}/livez`)).toBe(200);
    await send(database.url, NotifyOwner, { owner: 'o', text: 'calm' });

    await proxy.become('pass');
    await dispatcher.line(({ msg, text }) => msg === 'handling' && text === 'calm');
    await expect.poll(() => rows(database.url, 'select state from waybill.record')).toEqual([{ state: 'dispatched' }]);

    await proxy.become('hold-answer');
    dispatcher.signal('SIGTERM');
    expect(await dispatcher.exitCode()).toBe(0);
    await proxy.stop();
  });

  test('F018: a promise that a handler forgot is logged and ends nothing; an exception that nobody catches drains, exit code 1', async () => {
    await using database = await testDatabase();
    await using dispatcher = new RunningDispatcher('trouble.config.mjs', { WAYBILL_DATABASE_URL: database.url });
    const states = (): Promise<readonly unknown[]> => rows(database.url, 'select state, attempt from waybill.record');
    const delivered = { state: 'dispatched', attempt: 1 };
    await send(database.url, NotifyOwner, { owner: 'o', text: 'reject-later' });
    await dispatcher.line(({ code }) => code === 'DSP_UNHANDLED_REJECTION');
    await expect.poll(states).toEqual([delivered]);
    await send(database.url, NotifyOwner, { owner: 'o', text: 'throw-later' });
    await dispatcher.line(({ code }) => code === 'DSP_UNCAUGHT_EXCEPTION');
    expect(await dispatcher.exitCode()).toBe(1);
    // What was handled when it threw is settled all the same.
    expect(await states()).toEqual([delivered, delivered]);
  });

  test('F012: a second signal does not wait for a handler that hangs', async () => {
    await using database = await testDatabase();
    await using dispatcher = new RunningDispatcher('trouble.config.mjs', { WAYBILL_DATABASE_URL: database.url });
    await send(database.url, NotifyOwner, { owner: 'o', text: 'hang' });
    await dispatcher.line(({ msg, text }) => msg === 'handling' && text === 'hang');
    dispatcher.signal('SIGTERM');
    await dispatcher.line(({ msg }) => msg === 'draining');
    dispatcher.signal('SIGTERM');
    expect(await dispatcher.exitCode()).toBe(130);
  });

  test('F012: a handler that hangs does not outlast drainMs, and its record is given back', async () => {
    await using database = await testDatabase();
    await using dispatcher = new RunningDispatcher('trouble.config.mjs', {
      WAYBILL_DATABASE_URL: database.url,
      WAYBILL_SHUTDOWN_DRAIN_MS: '100',
    });
    await send(database.url, NotifyOwner, { owner: 'o', text: 'hang' });
    await dispatcher.line(({ msg, text }) => msg === 'handling' && text === 'hang');
    dispatcher.signal('SIGTERM');
    expect(await dispatcher.exitCode()).toBe(0);
    expect(await rows(database.url, 'select state, attempt from waybill.record')).toEqual([
      { state: 'pending', attempt: 0 },
    ]);
  });
});
