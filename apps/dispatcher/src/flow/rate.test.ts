import { expect, test } from 'vitest';

import { fullBucket, msUntilToken, refilled } from './rate.ts';

test('O01: a bucket holds one second of tokens at most, and one at least', () => {
  expect(fullBucket(50, 0).tokens).toBe(50);
  expect(fullBucket(0.1, 0).tokens).toBe(1);
  expect(refilled({ tokens: 0, at: 0 }, 50, 60_000).tokens).toBe(50);
});

test('O01: it fills evenly, and a clock that stands still or steps back empties nothing', () => {
  expect(refilled({ tokens: 0, at: 1_000 }, 4, 1_500).tokens).toBe(2);
  expect(refilled({ tokens: 3, at: 1_000 }, 4, 500).tokens).toBe(3);
  expect(msUntilToken({ tokens: 0.5, at: 0 }, 4, 0)).toBe(125);
  expect(msUntilToken({ tokens: 1, at: 0 }, 4, 0)).toBe(0);
});
