import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from './clock.ts';
import { Wakeup } from './wakeup.ts';

const DAY_MS = 86_400_000;

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

/** Whether a promise has ended, once everything that is due has happened. */
async function ended(promise: Promise<unknown>): Promise<boolean> {
  let isOver = false;
  void promise.then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return isOver;
}

describe('F035: sleeping', () => {
  test('F035: a rest of forty days lasts forty days, without a warning of an overflow', async () => {
    const setTimer = vi.spyOn(globalThis, 'setTimeout');
    const sleeping = systemClock.sleep(40 * DAY_MS);
    await vi.advanceTimersByTimeAsync(40 * DAY_MS - 1);
    expect(await ended(sleeping)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await ended(sleeping)).toBe(true);
    expect(Math.max(...setTimer.mock.calls.map(([, ms]) => ms ?? 0))).toBeLessThan(2 ** 31);
  });

  test.each([0, -1, Number.NaN])('F035: %d is no rest at all, and not an endless one', async (ms) => {
    expect(await ended(systemClock.sleep(ms))).toBe(true);
  });

  test('F035: a clock that goes on while a rest begins asks for no timer below zero, of which Node would warn', async () => {
    const setTimer = vi.spyOn(globalThis, 'setTimeout');
    let now = 0;
    const passing = vi.spyOn(performance, 'now').mockImplementation(() => (now += 20));
    const sleeping = systemClock.sleep(10);
    passing.mockRestore();
    await vi.advanceTimersByTimeAsync(100);
    await sleeping;
    expect(Math.min(...setTimer.mock.calls.map(([, ms]) => ms ?? -1))).toBe(0);
  });

  test('F084: a sleep that ends by itself leaves no listener behind, one that is interrupted no timer', async () => {
    const controller = new AbortController();
    const remove = vi.spyOn(controller.signal, 'removeEventListener');
    const short = systemClock.sleep(10, controller.signal);
    await vi.advanceTimersByTimeAsync(10);
    await short;
    expect(remove).toHaveBeenCalledTimes(1);
    const long = systemClock.sleep(10_000, controller.signal);
    controller.abort();
    await long;
    expect(vi.getTimerCount()).toBe(0);
    await systemClock.sleep(10_000, controller.signal);
  });
});

describe('F061: news', () => {
  test('F061: news that come while nobody waits are not used up', async () => {
    const wakeup = new Wakeup();
    wakeup.notify();
    wakeup.notify();
    expect(await wakeup.wait(systemClock, 10_000)).toBe(true);
    const second = wakeup.wait(systemClock, 10_000);
    expect(await ended(second)).toBe(false);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await second).toBe(false);
  });

  test('news end a wait at once', async () => {
    const wakeup = new Wakeup();
    const waiting = wakeup.wait(systemClock, 10_000);
    wakeup.notify();
    expect(await waiting).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});
