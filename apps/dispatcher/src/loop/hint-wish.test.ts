import { expect, test } from 'vitest';
import { HintWish } from './hint-wish.ts';

/** Claims of so many records each, every 100 ms for a while. */
function claims(wish: HintWish, records: number, fromMs: number, forMs: number): void {
  for (let now = fromMs; now < fromMs + forMs; now += 100) wish.claimed(records, now);
}

test('F061: hints are wanted where they arrive and little is to do, an odd burst included', () => {
  const wish = new HintWish();
  expect(wish.wanted).toBe(false);
  wish.hears(true);
  expect(wish.wanted).toBe(true);
  claims(wish, 1, 0, 10_000); // ten a second
  expect(wish.wanted).toBe(true);
  wish.claimed(50, 10_000);
  expect(wish.wanted).toBe(true);
  wish.hears(false);
  expect(wish.wanted).toBe(false);
});

test('F072: none are wanted while records come by the hundred, and they are again soon after', () => {
  const wish = new HintWish();
  wish.hears(true);
  claims(wish, 20, 0, 2_000);
  expect(wish.wanted).toBe(false);
  claims(wish, 4, 2_000, 10_000); // forty a second: in between it stays as it was
  expect(wish.wanted).toBe(false);
  claims(wish, 0, 12_000, 2_000);
  expect(wish.wanted).toBe(true);
});
