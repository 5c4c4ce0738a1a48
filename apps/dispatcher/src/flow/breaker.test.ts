import { describe, expect, test } from 'vitest';

import { afterFailure, at, type Breaker, CLOSED } from './breaker.ts';

const middle = (): number => 0.5;
const failing = (records: readonly string[], breaker = CLOSED, now = 0): Breaker =>
  records.reduce((state, record) => afterFailure(state, record, now, middle), breaker);

describe('O01 F043: a breaker', () => {
  test('O01: stays closed for a few failures, and for however many of one record or two', () => {
    expect(failing(['a', 'b', 'c', 'd']).state).toBe('closed');
    expect(failing(['a', 'a', 'a', 'a', 'a', 'a', 'a']).state).toBe('closed');
    expect(failing(['a', 'b', 'a', 'b', 'a', 'b', 'a']).state).toBe('closed');
  });

  test('O01: opens after five in a row of three records, half-opens after its rest, and rests longer each time', () => {
    let breaker = failing(['a', 'b', 'c', 'a', 'b']);
    const rests: number[] = [];
    for (let now = 0; rests.length < 9; ) {
      if (breaker.state !== 'open') throw new Error(breaker.state);
      rests.push(breaker.until - now);
      expect(at(breaker, breaker.until - 1)).toBe(breaker);
      now = breaker.until;
      breaker = afterFailure(at(breaker, now), 'd', now, middle);
    }
    expect(rests).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  test('O01: what was under way when it opened does not lengthen the rest', () => {
    const open = failing(['a', 'b', 'c', 'a', 'b']);
    expect(failing(['x', 'y'], open, 9)).toBe(open);
  });
});
