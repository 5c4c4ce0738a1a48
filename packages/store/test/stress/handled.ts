/** What the handlers of all workers see of the keys. */
export interface Handled {
  /** Gives 1 when an elder of the key was handed over for the first time only after this one. */
  note(key: string, position: string): 0 | 1;
  /** A worker holds the key from here on. Gives 1 when another one does. */
  enter(key: string): 0 | 1;
  leave(key: string): void;
}

export function createHandled(): Handled {
  const seen = new Set<string>();
  const youngest = new Map<string, bigint>();
  const holders = new Map<string, number>();
  return {
    note(key, position) {
      if (key === '' || seen.has(position)) return 0;
      seen.add(position);
      const before = youngest.get(key) ?? 0n;
      youngest.set(key, before > BigInt(position) ? before : BigInt(position));
      return before > BigInt(position) ? 1 : 0;
    },
    enter(key) {
      const others = holders.get(key) ?? 0;
      holders.set(key, others + 1);
      return key !== '' && others > 0 ? 1 : 0;
    },
    leave(key) {
      holders.set(key, (holders.get(key) ?? 0) - 1);
    },
  };
}
