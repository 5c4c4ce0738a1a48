/** Numbers that look like chance and follow from a seed alone. */
export interface Random {
  /** From 0 to below `below`. */
  integer(below: number): number;
  chance(of: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
  pick<T>(items: readonly T[]): T | undefined;
  /** A uuid of version 4. */
  uuid(): string;
}

/** Mulberry32: 32 bits of state, which is plenty for a schedule, in five lines. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const integer = (below: number): number => next() % below;
  const hex = (digits: number): string => Array.from({ length: digits }, () => integer(16).toString(16)).join('');
  return {
    integer,
    chance: (of) => next() / 2 ** 32 < of,
    // The overloads say when there is one; an index below the length is one of the list.
    pick: <T>(items: readonly T[]): T => items[integer(Math.max(1, items.length))] as T,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
  };
}
