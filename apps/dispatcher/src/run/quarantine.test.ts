import { testDatabase } from '@waybill/local-postgres/vitest';
import { enqueue } from '@waybill/store/pg';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NotifyOwner } from '../../test/parcels.ts';
import { RunningDispatcher } from '../../test/running-dispatcher.ts';
import type { Clock } from '../loop/clock.ts';
import { Quarantine } from './quarantine.ts';

async function send(client: pg.Client, owner: string, text: string): Promise<string> {
  await client.query('begin');
  const { id } = await enqueue(client, NotifyOwner, { owner, text });
  await client.query('commit');
  return id;
}

/** As short as settings may be, so that a dead process is taken for dead after a second. */
const QUICK = { WAYBILL_LEASE_MS: '1000', WAYBILL_LEASE_RENEW_EVERY_MS: '300', WAYBILL_SHUTDOWN_DRAIN_MS: '1000' };

describe('a record that kills its process', { timeout: 180_000 }, () => {
  test('F006 W20: is found, handled alone and ends as a dead letter; the process that was started again delivers all others', async () => {
    await using database = await testDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const environment = { WAYBILL_DATABASE_URL: database.url, ...QUICK };
    const killer = await send(client, 'a', 'die');
    const behind = await send(client, 'a', 'behind the killer');
    const others = await Promise.all(['b', 'c', 'd'].map((owner) => send(client, owner, 'hello')));
    // An orchestrator starts it again. A process that dies just after a heartbeat, before it said what it has in hand, leaves no suspect.
    let second = new RunningDispatcher('trouble.config.ts', environment);
    onTestFinished(() => second[Symbol.asyncDispose]());
    for (;;) {
      const found = second.line(
        ({ msg }) => msg === 'dead letter: this record was in hand each time that its process died',
      );
      if (
        await found.then(
          () => true,
          () => false,
        )
      )
        break;
      second = new RunningDispatcher('trouble.config.ts', environment);
    }
    await expect
      .poll(async () => (await client.query('select from waybill.record where state = $1', ['dispatched'])).rowCount, {
        timeout: 60_000,
      })
      .toBe(others.length + 1);
    const { rows } = await client.query<{ id: string; state: string; attempt: number; last_error: string }>(
      'select id, state, attempt, last_error from waybill.record where id = any ($1)',
      [[killer, behind]],
    );
    expect(rows.find(({ id }) => id === killer)).toMatchObject({
      state: 'dead-letter',
      attempt: 0,
      last_error: expect.stringContaining('died 4 times') as string,
    });
    expect(rows.find(({ id }) => id === behind)?.state).toBe('dispatched');
    expect(second.hasEnded, 'the dispatcher itself was never in danger').toBe(false);
    second.signal('SIGTERM');
    expect(await second.exitCode()).toBe(0);
    await client.end();
  });

  test('F006: an exception that nobody catches counts against the records that were in hand', async () => {
    await using database = await testDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const environment = { WAYBILL_DATABASE_URL: database.url, ...QUICK };
    await send(client, 'a', 'throw-and-hang');
    await using first = new RunningDispatcher('trouble.config.ts', environment);
    expect(await first.exitCode()).toBe(1);
    await using second = new RunningDispatcher('trouble.config.ts', environment);
    await second.line(({ msg }) => msg?.includes('are handled alone, in a process beside this one') === true);
    await client.end();
  });
});

test('F006: a quarantine that dies at once is started again more and more rarely, and never twice at once', async () => {
  let now = 0;
  const clock: Clock = { now: () => now, sleep: () => Promise.resolve() };
  const ends: ((code: number | string) => void)[] = [];
  const quarantine = new Quarantine({
    clock,
    log: { info: () => {}, warn: () => {} },
    start: () => ({ stop: () => {}, ended: new Promise((resolve) => ends.push(resolve)) }),
  });
  const end = async (code: number | string): Promise<void> => {
    ends.at(-1)?.(code);
    await Promise.resolve();
  };
  quarantine.ensure();
  quarantine.ensure();
  expect(ends).toHaveLength(1);
  await end('SIGKILL');
  quarantine.ensure();
  expect(ends, 'it rests first').toHaveLength(1);
  now += 1_000;
  quarantine.ensure();
  expect(ends).toHaveLength(2);
  await end('SIGKILL');
  now += 1_000;
  quarantine.ensure();
  expect(ends, 'and longer the next time').toHaveLength(2);
  now += 1_000;
  quarantine.ensure();
  await end(0);
  quarantine.ensure();
  expect(ends).toHaveLength(4);
});
