import { describe, expect, onTestFinished, test } from 'vitest';
import { Outbox } from '../../test/loop.ts';
import { NotifyOwner } from '../../test/parcels.ts';
import { RunningDispatcher } from '../../test/running-dispatcher.ts';
import type { Clock } from '../loop/clock.ts';
import { Quarantine } from './quarantine.ts';

/** As short as settings may be, so that a dead process is taken for dead after a second. */
const QUICK = { WAYBILL_LEASE_MS: '1000', WAYBILL_LEASE_RENEW_EVERY_MS: '300', WAYBILL_SHUTDOWN_DRAIN_MS: '1000' };

// Half a dozen processes start one after the other, with growing rests between them.
describe('a record that kills its process', { timeout: 600_000 }, () => {
  test('F006 W20: is found, handled alone and ends as a dead letter; the process that was started again delivers all others', async () => {
    const outbox = await Outbox.forTest();
    const environment = { WAYBILL_DATABASE_URL: outbox.url, ...QUICK };
    const send = (owner: string, text: string): Promise<string> => outbox.enqueue(NotifyOwner, { owner, text });
    const killer = await send('a', 'die');
    for (const owner of ['a', 'b', 'c', 'd']) await send(owner, 'hello');
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
    // The log is a little ahead of the store.
    await outbox.until((rows) => rows.every(({ state }) => state === 'dispatched' || state === 'dead-letter'));
    expect(await outbox.record(killer)).toMatchObject({
      state: 'dead-letter',
      attempt: 0,
      last_error: expect.stringContaining('died 4 times') as string,
    });
    expect(second.hasEnded, 'the dispatcher itself was never in danger').toBe(false);
    second.signal('SIGTERM');
    expect(await second.exitCode()).toBe(0);
  });

  test('F006: an exception that nobody catches counts against the records that were in hand', async () => {
    const outbox = await Outbox.forTest();
    const environment = { WAYBILL_DATABASE_URL: outbox.url, ...QUICK };
    await outbox.enqueue(NotifyOwner, { owner: 'a', text: 'throw-and-hang' });
    await using first = new RunningDispatcher('trouble.config.ts', environment);
    expect(await first.exitCode()).toBe(1);
    await using second = new RunningDispatcher('trouble.config.ts', environment);
    await second.line(({ msg }) => msg?.includes('are handled alone, in a process beside this one') === true);
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
