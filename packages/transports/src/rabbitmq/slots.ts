/** A bounded number of places; who finds none waits in line. */
export interface Slots {
  /** Resolves to true with a place, or to false when the signal fired first. */
  take(signal: AbortSignal): Promise<boolean>;
  /** Gives a place back. */
  free(): void;
}

/** Makes `count` places. */
export function slots(count: number): Slots {
  let left = count;
  const waiting = new Set<() => void>();

  return {
    async take(signal) {
      if (signal.aborted) return false;
      if (left > 0) {
        left--;
        return true;
      }
      return new Promise((resolve) => {
        const giveUp = (): void => {
          waiting.delete(proceed);
          resolve(false);
        };
        const proceed = (): void => {
          waiting.delete(proceed);
          signal.removeEventListener('abort', giveUp);
          resolve(true);
        };
        waiting.add(proceed);
        signal.addEventListener('abort', giveUp, { once: true });
      });
    },
    free() {
      const [first] = waiting;
      if (first) first();
      else left++;
    },
  };
}
