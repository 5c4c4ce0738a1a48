/** Changes of the mode inside a running process, and modes that cannot be entered. */
import { expect, onTestFinished, test } from 'vitest';
import { Gate } from '../../test/gate.ts';
import { type Loop, Outbox, startLoop } from '../../test/loop.ts';
import { NotifyOwner, WeighParcel } from '../../test/parcels.ts';
import { TcpProxy } from '../../test/tcp-proxy.ts';
import { call } from '../routes/call.ts';
import { type Clock, systemClock } from './clock.ts';
import type { ChooseDrainMode } from './drain-modes.ts';

/** Longer than what a test skips of the time. */
const LONG_LEASE = { lease: { leaseMs: 600_000, renewEveryMs: 300 } };
const SOON = { timeout: 20_000 };
const entries = ({ lines }: Loop): number => lines.filter(({ msg }) => msg === 'entered in the store').length;
const modes = ({ lines }: Loop): readonly unknown[] =>
  lines.flatMap(({ msg, mode }) => (msg === 'draining begins' ? [mode] : []));

/** A loop with a handler that does not end before the test says so, and a mode that has just changed behind it. */
async function switching() {
  const outbox = await Outbox.forTest();
  const proxy = await TcpProxy.before(outbox.url);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  let skippedMs = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + skippedMs };
  const skip = (ms: number): void => {
    skippedMs += ms;
  };
  let mode: 'pull' | 'batch' = 'pull';
  let asked = 0;
  const chooseMode: ChooseDrainMode = () => {
    asked += 1;
    return Promise.resolve({ mode, skips: [] });
  };
  const handler = new Gate();
  await outbox.enqueue(WeighParcel, { parcel: 'long', grams: 1 });
  const weigh = call(WeighParcel, () => handler.pass());
  const loop = startLoop(outbox, { url: proxy.url, routes: { weigh }, clock, chooseMode, settings: LONG_LEASE });
  await handler.reached;
  const before = asked;
  mode = 'batch';
  skip(61_000);
  await expect.poll(() => asked).toBeGreaterThan(before);
  return { outbox, loop, handler, skip, proxy };
}

test('Q20 Q05: a gate that turns red in the middle changes the mode, after what is in hand; until then the loop lives', async () => {
  const { outbox, loop, handler, skip } = await switching();
  await outbox.enqueue(NotifyOwner, { owner: 'later', text: 't' });
  for (let turn = 0; turn < 2; turn += 1) {
    skip(120_000);
    await expect.poll(() => loop.dispatcher.health().loopAgeMs, SOON).toBeLessThan(60_000);
  }
  expect(modes(loop), 'the handler is still at work').toEqual(['pull']);
  handler.open();
  await outbox.untilDispatched(2);
  expect(modes(loop)).toEqual(['pull', 'batch']);
});

test('Q20 I10: a session that is lost while the mode changes is followed by another, however long the handler takes', async () => {
  const { outbox, loop, handler, proxy } = await switching();
  proxy.cut();
  await loop.untilLogged(/the store is not usable/);
  proxy.restore();
  await expect.poll(() => entries(loop), SOON).toBe(2);
  handler.open();
  await outbox.untilDispatched(1);
});

test('W22 I10: a mode that cannot be entered is tried again with a growing rest, and noted once', async () => {
  const outbox = await Outbox.forTest();
  let isDenied = true;
  const chooseMode: ChooseDrainMode = () =>
    isDenied ? Promise.reject(new Error('permission denied')) : Promise.resolve({ mode: 'pull', skips: [] });
  const startedAt = performance.now();
  const loop = startLoop(outbox, { chooseMode, random: () => 0.999 });
  await expect.poll(() => entries(loop)).toBeGreaterThanOrEqual(4);
  // 250, 500 and 1,000 ms.
  expect(performance.now() - startedAt).toBeGreaterThan(1_500);
  expect(loop.lines.filter(({ level }) => level === 40)).toHaveLength(1);
  isDenied = false;
  await outbox.enqueue(NotifyOwner, { owner: 'a', text: 't' });
  await outbox.untilDispatched(1);
});

test('W22 I10: claims that fail for good while everything else works are tried again with a growing rest, and noted once', async () => {
  const outbox = await Outbox.forTest();
  const claims = (await outbox.query(`select oid::regprocedure::text as it from pg_proc where proname = 'claim'`))[0]?.[
    'it'
  ];
  await outbox.query(`alter function ${String(claims)} rename to claim_hidden`);
  const startedAt = performance.now();
  const loop = startLoop(outbox, { random: () => 0.999 });
  await expect.poll(() => entries(loop), SOON).toBeGreaterThanOrEqual(4);
  expect(performance.now() - startedAt).toBeGreaterThan(1_500);
  expect(loop.lines.filter(({ level }) => level === 40)).toHaveLength(1);
  await outbox.query(`alter function ${String(claims).replace('.claim(', '.claim_hidden(')} rename to claim`);
  await outbox.enqueue(NotifyOwner, { owner: 'a', text: 't' });
  await outbox.untilDispatched(1);
});
