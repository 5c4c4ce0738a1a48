/** Chance that can be repeated: the same seed gives the same decisions (not the same interleaving). */
export interface Random {
  /** From 0 up to 1. */
  next(): number;
  chance(probability: number): boolean;
  integer(below: number): number;
  pick<const T>(items: readonly [T, ...T[]]): T;
  /** Resolves after up to `ms`: how long a business transaction or a handler takes. */
  work(ms: number): Promise<void>;
}

/** mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    chance: (probability) => next() < probability,
    integer: (below) => Math.floor(next() * below),
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
    work: (ms) => new Promise((resolve) => setTimeout(resolve, next() * ms)),
  };
}
