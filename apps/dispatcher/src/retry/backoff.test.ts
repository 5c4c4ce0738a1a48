import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoffBoundMs, backoffMs, retryDelayMs } from './backoff.ts';
import { DEFAULT_RETRY_POLICY } from './retry-policy.ts';

const HOUR_MS = 3_600_000;
const shapes = fc
  .record({
    baseMs: fc.double({ min: 1, max: HOUR_MS, noNaN: true }),
    factor: fc.double({ min: 1, max: 10, noNaN: true }),
    capMs: fc.integer({ min: 1, max: 30 * 24 * HOUR_MS }),
  })
  .map((shape) => ({ ...shape, maxAttempts: 10_000 }));
const attempts = fc.integer({ min: 1, max: 10_000 });
const randoms = fc.oneof(
  fc.constant(0),
  fc.constant(0.999999),
  fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
);

describe('F036, W19: backoff arithmetic', () => {
  test('W19: a delay is a whole number of milliseconds, above zero and at most the cap', () => {
    fc.assert(
      fc.property(attempts, shapes, randoms, (attempt, shape, random) => {
        const delayMs = backoffMs(attempt, shape, () => random);
        expect(Number.isSafeInteger(delayMs)).toBe(true);
        expect(delayMs).toBeGreaterThan(0);
        expect(delayMs).toBeLessThanOrEqual(shape.capMs);
      }),
    );
  });

  test('F036: the bound never shrinks from one attempt to the next', () => {
    fc.assert(
      fc.property(attempts, shapes, (attempt, shape) => {
        expect(backoffBoundMs(attempt + 1, shape)).toBeGreaterThanOrEqual(backoffBoundMs(attempt, shape));
      }),
    );
  });

  test('W19: the bounds double up to the cap', () => {
    const bounds = [1, 2, 3, 4, 10, 11, 10_000].map((attempt) =>
      Math.round(backoffBoundMs(attempt, DEFAULT_RETRY_POLICY)),
    );
    expect(bounds).toEqual([1_000, 2_000, 4_000, 8_000, 512_000, 900_000, 900_000]);
  });

  test('F036: two failures at the same time come back at different times', () => {
    const delays = Array.from({ length: 100 }, () => backoffMs(8, DEFAULT_RETRY_POLICY, Math.random));
    expect(new Set(delays).size).toBeGreaterThan(90);
  });
});

describe('W19: Retry-After', () => {
  const quick = { ...DEFAULT_RETRY_POLICY, capMs: 60_000 };
  const cases: readonly (readonly [name: string, askedMs: number, expectedMs: number])[] = [
    ['is honoured', 30_000, 30_000],
    ['never shortens the backoff', 1, 500],
    ['cannot be negative', -5_000, 500],
    ['is ignored when it is no number', Number.NaN, 500],
    ['is clamped to an hour', 86_400_000, HOUR_MS],
    ['is clamped when it is infinite', Number.POSITIVE_INFINITY, HOUR_MS],
    ['is rounded up to whole milliseconds', 1_500.2, 1_501],
  ];
  test.each(cases)('W19: %s', (_name, askedMs, expectedMs) => {
    expect(retryDelayMs(1, quick, () => 0.5, askedMs)).toBe(expectedMs);
  });

  test('W19: may be as long as the cap where the cap is longer than an hour', () => {
    expect(retryDelayMs(1, { ...quick, capMs: 24 * HOUR_MS }, () => 0.5, 48 * HOUR_MS)).toBe(24 * HOUR_MS);
  });
});

test('F043: with the defaults a record outlives an outage of its target of 45 minutes', () => {
  const horizonsMs = Array.from({ length: 2_000 }, () => {
    let totalMs = 0;
    for (let attempt = 1; attempt < DEFAULT_RETRY_POLICY.maxAttempts; attempt += 1)
      totalMs += backoffMs(attempt, DEFAULT_RETRY_POLICY, Math.random);
    return totalMs;
  });
  expect(Math.min(...horizonsMs)).toBeGreaterThan(45 * 60_000);
});
