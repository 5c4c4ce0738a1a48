import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Outbox, startLoop } from '../../test/loop.ts';
import { NotifyOwner } from '../../test/parcels.ts';
import { type LogLine, RunningDispatcher } from '../../test/running-dispatcher.ts';
import type { Clock } from '../loop/clock.ts';
import { Quarantine } from './quarantine.ts';

/** As short as settings may be, so that a dead process is taken for dead after a second. */
const QUICK = { WAYBILL_LEASE_MS: '1000', WAYBILL_LEASE_RENEW_EVERY_MS: '300', WAYBILL_SHUTDOWN_DRAIN_MS: '1000' };

// Half a dozen processes start one after the other.
describe('a record that kills its process', { timeout: 600_000 }, () => {
  test('F006 W20: is found, handled alone and ends as a dead letter; the process that was started again delivers all others', async () => {
    const outbox = await Outbox.forTest();
    const environment = { WAYBILL_DATABASE_URL: outbox.url, ...QUICK };
    const send = (owner: string, text: string): Promise<string> => outbox.enqueue(NotifyOwner, { owner, text });
    const killer = await send('a', 'die');
    for (const owner of ['a', 'b', 'c', 'd']) await send(owner, 'hello');
    // Two at once: whoever takes the killer dies, and the other one has seen it. When both have died, as they do when it happens just after a heartbeat
    // and leaves no suspect, an orchestrator starts one again.
    const started = [1, 2].map(() => new RunningDispatcher('trouble.config.mjs', environment));
    onTestFinished(async () => {
      await Promise.all(started.map((dispatcher) => dispatcher[Symbol.asyncDispose]()));
    });
    const isBuried = ({ msg }: LogLine): boolean =>
      msg === 'dead letter: this record was in hand each time that its process died';
    const survivor = (): Promise<RunningDispatcher | null> =>
      Promise.any(started.map((dispatcher) => dispatcher.line(isBuried).then(() => dispatcher))).catch(() => null);
    let second = await survivor();
    while (second === null) {
      started.push(new RunningDispatcher('trouble.config.mjs', environment));
      second = await survivor();
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
    await using first = new RunningDispatcher('trouble.config.mjs', environment);
    expect(await first.exitCode()).toBe(1);
    const onFound = vi.fn();
    // Another dispatcher, of which this process would die as well, were it to handle them.
    startLoop(outbox, { build: 'trouble@1.0.0', suspects: { role: 'leave', onFound } });
    await expect.poll(() => onFound.mock.calls.length).toBeGreaterThan(0);
    expect(await outbox.query('select crashes from waybill.delivery')).toEqual([{ crashes: 1 }]);
  });

  test.each([
    ['the dispatcher alone, as by an orchestrator', []],
    ['both processes, as by a service manager or a terminal', ['child']],
  ] as const)(
    'W20 F006: a stop of %s waits for a suspect that is in hand, and counts no crash',
    async (_who, others) => {
      const outbox = await Outbox.forTest();
      // Longer than the dispatcher itself takes, which has nothing in hand.
      const environment = { WAYBILL_DATABASE_URL: outbox.url, ...QUICK, WAYBILL_SHUTDOWN_DRAIN_MS: '4000' };
      const suspect = await outbox.enqueue(NotifyOwner, { owner: 'a', text: 'hang' });
      await outbox.query('update waybill.delivery set crashes = 1');
      await using dispatcher = new RunningDispatcher('trouble.config.mjs', environment);
      const { pid } = await dispatcher.line(({ msg }) => msg === 'handling');
      if (others.length > 0) process.kill(Number(pid), 'SIGTERM');
      dispatcher.signal('SIGTERM');
      // Whichever ends first: where that is the dispatcher, an orchestrator kills what is left.
      await dispatcher.line(({ msg }) => msg === 'stopped');
      expect(await outbox.query('select crashes, lease_owner from waybill.delivery')).toEqual([
        { crashes: 1, lease_owner: null },
      ]);
      expect(await outbox.query('select count(*)::integer as n from waybill.dispatcher where left_at is null')).toEqual(
        [{ n: 0 }],
      );
      expect(await outbox.record(suspect)).toMatchObject({ attempt: 0 });
      expect(await dispatcher.exitCode()).toBe(0);
    },
  );
});

test('F006: a quarantine that dies at once is started again more and more rarely, and never twice at once', async () => {
  let now = 0;
  const clock: Clock = { now: () => now, sleep: () => Promise.resolve() };
  const ends: ((code: number | string) => void)[] = [];
  const quarantine = new Quarantine({
    clock,
    leaseMs: 30_000,
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
