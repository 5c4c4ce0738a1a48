import { expect, test } from 'vitest';
import { Outbox } from '../../test/loop.ts';
import { NotifyOwner } from '../../test/parcels.ts';
import { RunningDispatcher } from '../../test/running-dispatcher.ts';

/** As short as settings may be, so that a process that stands still loses its lease after a second. */
const QUICK = { WAYBILL_LEASE_MS: '1000', WAYBILL_LEASE_RENEW_EVERY_MS: '300' };

test('F004 F094 W16 I02: a process that is frozen in a handler for longer than its lease settles nothing when it wakes; another one has, and both go on', async () => {
  const outbox = await Outbox.forTest();
  const environment = { WAYBILL_DATABASE_URL: outbox.url, ...QUICK };
  const start = (more: Readonly<Record<string, string>> = {}): RunningDispatcher =>
    new RunningDispatcher('trouble.config.mjs', { ...environment, ...more });
  await using frozen = start({ TROUBLE_FREEZES: 'yes' });
  await frozen.line(({ msg }) => msg === 'draining begins');
  const id = await outbox.enqueue(NotifyOwner, { owner: 'a', text: 'freeze' });
  await frozen.line(({ msg, text }) => msg === 'handling' && text === 'freeze');

  await using other = start();
  await outbox.untilDispatched(1);
  const settled = await outbox.record(id);
  expect(settled).toMatchObject({ state: 'dispatched', attempt: 1 });

  frozen.signal('SIGCONT');
  const url = await frozen.healthUrl();
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  await expect.poll(metrics).toMatch(/^waybill_settlement_results_total\{result="lease-lost"\} 1$/m);
  expect(await outbox.record(id), 'the late success is fenced').toEqual(settled);
  other.signal('SIGTERM');
  expect(await other.exitCode()).toBe(0);
  await outbox.enqueue(NotifyOwner, { owner: 'a', text: 'calm' });
  await outbox.untilDispatched(2);
  frozen.signal('SIGTERM');
  expect(await frozen.exitCode()).toBe(0);
});
