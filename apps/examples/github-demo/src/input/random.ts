/** A source of numbers in [0, 1). */
export type Random = () => number;

/** A seeded source (mulberry32): the same seed tells the same story, so a failure can be looked at again. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of the numbers 0 to `bound` - 1. */
export function randomInteger(random: Random, bound: number): number {
  return Math.floor(random() * bound);
}

/** The same values in another order. */
export function shuffled<T>(random: Random, values: readonly T[]): readonly T[] {
  const order = values.map((value) => ({ value, place: random() }));
  return order.sort((a, b) => a.place - b.place).map(({ value }) => value);
}
