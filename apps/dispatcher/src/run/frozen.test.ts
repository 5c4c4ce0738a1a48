import { expect, test } from 'vitest';
import { Outbox } from '../../test/loop.ts';
import { NotifyOwner } from '../../test/parcels.ts';
import { type LogLine, RunningDispatcher } from '../../test/running-dispatcher.ts';

/** As short as settings may be, so that a process that stands still loses its lease after a second. */
const QUICK = { WAYBILL_LEASE_MS: '1000', WAYBILL_LEASE_RENEW_EVERY_MS: '300' };

const handles =
  (message: string) =>
  ({ msg, text }: LogLine): boolean =>
    msg === 'handling' && text === message;

test('F004 F094 W16 I02: a process that is frozen for longer than its lease neither settles nor sends when it wakes, and goes on', async () => {
  const outbox = await Outbox.forTest();
  const environment = { WAYBILL_DATABASE_URL: outbox.url, ...QUICK };
  const start = (more: Readonly<Record<string, string>> = {}): RunningDispatcher =>
    new RunningDispatcher('trouble.config.mjs', { ...environment, ...more });
  await using frozen = start({ TROUBLE_FREEZES: 'yes' });
  await frozen.line(({ msg }) => msg === 'draining begins');
  // One claim takes both, and the first handler stops the process before the second begins.
  const texts = ['freeze', 'calm'];
  await outbox.enqueueMany(texts.map((text) => ({ message: NotifyOwner, payload: { owner: 'a', text } })));
  await frozen.line(handles('freeze'));
  const claimed = await outbox.records();
  const [holder] = claimed.map(({ lease_owner }) => lease_owner);
  expect(claimed.map(({ state, lease_owner }) => [state, lease_owner])).toEqual(
    texts.map(() => ['processing', holder]),
  );

  // The other one is refused, so the record waits: what the late success meets is the record itself, and not merely its absence.
  await using other = start();
  await outbox.until((rows) => rows.every(({ state }) => state === 'pending' || state === 'dispatched'));
  await outbox.until((rows) => rows.every(({ attempt }) => attempt === 1));
  const settled = await outbox.records();
  expect(settled.map(({ state }) => state).sort()).toEqual(['dispatched', 'pending']);
  await other.line(handles('calm'));

  frozen.signal('SIGCONT');
  const url = await frozen.healthUrl();
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  await expect.poll(metrics).toMatch(/^waybill_settlement_results_total\{result="lease-lost"\} [12]$/m);
  expect(await outbox.records(), 'the late success is fenced').toEqual(settled);
  expect(frozen.lines.filter(handles('calm')), 'what was not begun is not sent any more').toEqual([]);
  other.signal('SIGTERM');
  expect(await other.exitCode()).toBe(0);
  await outbox.enqueue(NotifyOwner, { owner: 'a', text: 'calm' });
  await outbox.untilDispatched(2);
  expect(frozen.lines.filter(handles('calm'))).toHaveLength(1);
  frozen.signal('SIGTERM');
  expect(await frozen.exitCode()).toBe(0);
});
