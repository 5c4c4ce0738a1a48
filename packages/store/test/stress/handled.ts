/** The order in which records of a key were handed over for the first time, over all workers. */
export interface Handled {
  /** Gives 1 when an elder of the key would only come after this one. */
  note(key: string, position: string): 0 | 1;
}

export function createHandled(): Handled {
  const seen = new Set<string>();
  const youngest = new Map<string, bigint>();
  return {
    note(key, position) {
      if (seen.has(position)) return 0;
      seen.add(position);
      const before = youngest.get(key) ?? 0n;
      youngest.set(key, before > BigInt(position) ? before : BigInt(position));
      return before > BigInt(position) ? 1 : 0;
    },
  };
}
