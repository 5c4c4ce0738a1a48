import { describe, expect, test } from 'vitest';
import { MAX_CLAIM_RECORDS, Pace } from './pace.ts';
import { isFull, pauseMs, pollingWith } from './polling.ts';

const polling = { busyMs: 5, idleMs: 1_000 };
const pauses = (random: number, rounds: number): readonly number[] => {
  const seen: number[] = [];
  for (let round = 0; round < rounds; round += 1)
    seen.push(pauseMs({ records: 0, isFull: false }, seen.at(-1) ?? 0, polling, () => random));
  return seen;
};

describe('how often to claim', () => {
  test('F075: at once after a full claim, soon after one that found something', () => {
    expect(pauseMs({ records: 10, isFull: true }, 1_000, polling, () => 0)).toBe(0);
    expect(pauseMs({ records: 3, isFull: false }, 1_000, polling, () => 0)).toBe(5);
  });

  test.each([
    ['all it asked for', { moreLeft: false, runs: 2, heads: 9, records: 10, limit: 10 }, true],
    ['as many keys as it asked for', { moreLeft: false, runs: 9, heads: 9, records: 9, limit: 10 }, true],
    ['less than it asked for', { moreLeft: false, runs: 2, heads: 9, records: 3, limit: 10 }, false],
    ['nothing, of all that it looked at', { moreLeft: true, runs: 0, heads: 9, records: 0, limit: 10 }, true],
    ['nothing', { moreLeft: false, runs: 0, heads: 0, records: 0, limit: 0 }, false],
  ])('F006 F075: a claim that took %s', (_what, tally, full) => {
    expect(isFull(tally)).toBe(full);
  });

  test('F074: an idle outbox is asked more and more rarely, down to the idle interval', () => {
    expect(pauses(0, 10)).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1_000, 1_000]);
  });

  test('F073: the pause is drawn at random, and never longer than the idle interval', () => {
    expect(pauses(0.999, 30).at(-1)).toBeGreaterThanOrEqual(750);
    expect(pauses(0.999, 30).at(-1)).toBeLessThan(760);
    expect(Math.max(...pauses(0.5, 30))).toBeLessThanOrEqual(1_000);
  });

  test('F074: where a commit tells of its messages, an idle outbox is asked half as often, and a busy one as ever', () => {
    expect(pollingWith(true, polling)).toEqual({ busyMs: 5, idleMs: 2_000 });
    expect(pollingWith(false, polling)).toEqual(polling);
  });

  test('an idle interval below the busy one does not make a busy loop', () => {
    expect(pauseMs({ records: 0, isFull: false }, 0, { busyMs: 50, idleMs: 1 }, () => 0)).toBe(50);
  });
});

describe('F016: how much to claim ahead', () => {
  const paceOf = (recordMs: number): Pace => {
    const pace = new Pace(16, 30_000);
    for (let record = 0; record < 2_000; record += 1) pace.record(recordMs, 0);
    return pace;
  };
  const limitOf = (
    pace: Pace,
    facts: { readonly buffered?: number; readonly idle?: number; readonly now?: number } = {},
  ): number => pace.claimLimit({ buffered: 0, idle: 0, now: 1, ...facts });

  test('F016: what can be begun at once, as long as nothing is known', () => {
    expect(limitOf(new Pace(16, 30_000), { idle: 16 })).toBe(16);
    expect(limitOf(new Pace(16, 30_000), { idle: 0 })).toBe(0);
  });

  test('F016: no more than the workers finish in a tenth of the lease', () => {
    // 16 workers, 3 s, 200 ms a record.
    expect(limitOf(paceOf(200))).toBeCloseTo(240, -1);
    expect(limitOf(paceOf(60_000))).toBe(0);
    expect(limitOf(paceOf(60_000), { idle: 3 })).toBe(3);
  });

  test('Q02: nothing is claimed ahead for workers that finish nothing', () => {
    const pace = paceOf(1);
    expect([limitOf(pace, { now: 2_999 }), pace.isMoving(2_999)]).toEqual([MAX_CLAIM_RECORDS, true]);
    expect([limitOf(pace, { now: 3_000 }), pace.isMoving(3_000)]).toEqual([0, false]);
    expect(limitOf(pace, { now: 3_000, idle: 2 })).toBe(2);
  });

  test('quick records are claimed by the hundred, and the buffer is bounded', () => {
    expect(limitOf(paceOf(0.5))).toBe(MAX_CLAIM_RECORDS);
    expect(limitOf(paceOf(0.5), { buffered: 500 })).toBe(500);
    expect(limitOf(paceOf(0), { buffered: 501 })).toBe(0);
  });

  test('F073: nothing is asked for while the buffer is more than half full', () => {
    expect(limitOf(paceOf(200), { buffered: 125 })).toBe(0);
    expect(limitOf(paceOf(200), { buffered: 115 })).toBeCloseTo(125, -1);
  });
});
