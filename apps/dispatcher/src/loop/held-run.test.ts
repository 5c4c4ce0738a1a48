import { describe, expect, test } from 'vitest';
import { heldRun } from '../../test/loop-parts.ts';
import { judgeRenewal } from './heartbeat.ts';
import { HeldRuns } from './held-runs.ts';
import { RunBuffer } from './run-buffer.ts';

const nothing = (): void => {};

describe('leases', () => {
  test('F016: a run may be begun until the safe moment, and not after it', () => {
    const run = heldRun(['1'], 1_000);
    expect(run.isSafe(999)).toBe(true);
    expect(run.isSafe(1_000)).toBe(false);
    run.extend(2_000);
    expect(run.isSafe(1_000)).toBe(true);
    run.extend(1_500);
    expect(run.isSafe(1_999)).toBe(true);
  });

  test('F039: what could not be renewed in time is stopped, once', () => {
    const held = new HeldRuns();
    const [first, second] = [heldRun(['1'], 1_000), heldRun(['2'], 2_000)];
    held.add([first, second]);
    expect(held.stopUnsafe(1_500)).toEqual([first]);
    expect(held.stopUnsafe(1_500)).toEqual([]);
    expect(first.signal.reason).toMatchObject({ code: 'DSP_LEASE_LOST' });
    expect(second.signal.aborted).toBe(false);
  });

  test('F004: a head that comes back stops whoever works on it under the old claim', () => {
    const held = new HeldRuns();
    const old = heldRun(['1']);
    held.add([old, heldRun(['2'])]);
    const again = heldRun(['1']);
    held.add([again]);
    expect([old.isGone, again.isGone]).toEqual([true, false]);
    expect(old.settlement()).toBeNull();
  });

  test('a stop does not take away what was accepted before it', () => {
    const run = heldRun(['1', '2']);
    run.deliver('1');
    run.stop('too late');
    expect(run.settlement()).toMatchObject({ delivered: ['1'], next: { then: 'keep' } });
    run.finish({ then: 'release' });
    run.finish({ then: 'retry', delayMs: 1, error: 'late' });
    expect(run.settlement()).toMatchObject({ delivered: ['1'], next: { then: 'release' } });
  });

  test.each([
    ['was renewed', { renewed: ['1'], owned: ['1'], disturbed: false }, 'renewed'],
    ['is locked by somebody for a moment', { renewed: [], owned: ['1'], disturbed: false }, 'unclear'],
    ['was taken over', { renewed: [], owned: [], disturbed: false }, 'lost'],
    ['was moved by a settlement meanwhile', { renewed: [], owned: [], disturbed: true }, 'unclear'],
  ])('F004: a lease that %s', (_name, { renewed, owned, disturbed }, verdict) => {
    expect(judgeRenewal('1', !disturbed, { renewed: new Set(renewed), owned: new Set(owned) })).toBe(verdict);
  });
});

describe('the buffer', () => {
  test('hands runs out in order, to whoever waits first', async () => {
    const buffer = new RunBuffer(nothing);
    const waiting = [buffer.take(), buffer.take()];
    const runs = [heldRun(['1', '2']), heldRun(['3']), heldRun(['4'])];
    buffer.put(runs);
    expect(await Promise.all(waiting)).toEqual(runs.slice(0, 2));
    expect(buffer.records).toBe(1);
    expect(await buffer.take()).toBe(runs[2]);
    expect(buffer.records).toBe(0);
  });

  test('takes back what belongs to a lost owner, and keeps the rest', async () => {
    const buffer = new RunBuffer(nothing);
    const [mine, old] = [heldRun(['1'], 1, 'new'), heldRun(['2', '3'], 1, 'old')];
    buffer.put([old, mine]);
    expect(buffer.takeBack('old')).toEqual([old]);
    expect(buffer.records).toBe(1);
    expect(await buffer.take()).toBe(mine);
  });

  test('F013: once closed it gives everything back and lets its workers go', async () => {
    const buffer = new RunBuffer(nothing);
    const waiting = buffer.take();
    expect(buffer.close()).toEqual([]);
    expect(await waiting).toBeNull();
    expect(await buffer.take()).toBeNull();
  });
});
