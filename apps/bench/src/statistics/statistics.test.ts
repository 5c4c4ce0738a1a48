import { describe, expect, test } from 'vitest';
import { median, pairedRatio, percentile, spread } from './statistics.ts';

describe('statistics of rounds', () => {
  test('the median and percentiles lie between neighbours', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([1, 2, 3, 4])).toBe(2.5);
    expect(percentile([10, 20, 30, 40, 50], 0.95)).toBeCloseTo(48);
    expect(percentile([7], 0.99)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });

  test('numbers are ordered as numbers, and the input stays as it was', () => {
    const values = [100, 9, 10];
    expect(median(values)).toBe(10);
    expect(values).toEqual([100, 9, 10]);
  });

  test('the spread is the distance of the extremes in medians', () => {
    expect(spread([90, 100, 120])).toBeCloseTo(0.3);
    expect(spread([5, 5])).toBe(0);
  });

  test('a paired ratio is not moved by a minute in which everything is slow', () => {
    expect(pairedRatio([100, 20, 100], [50, 10, 50])).toBe(2);
    expect(() => pairedRatio([1], [1, 2])).toThrow(RangeError);
  });
});
