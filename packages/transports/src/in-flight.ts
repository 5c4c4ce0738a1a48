import { TransportError } from './transport-error.ts';

/** Counts the publishes under way, so that a close can wait for them and what follows is turned away. */
export interface InFlight {
  /** @throws TransportError `TRN_CLOSED` once `close` was called. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `release` once, after the last publish has ended; every call gets the same promise. */
  close(release: () => Promise<void>): Promise<void>;
}

/** Tracks the publishes of the transport called `name`. */
export function trackInFlight(name: string): InFlight {
  const running = new Set<Promise<unknown>>();
  let closed: Promise<void> | null = null;

  return {
    async run(work) {
      if (closed) throw new TransportError('TRN_CLOSED', [`transport ${name} is closed`]);
      const result = work();
      running.add(result);
      try {
        return await result;
      } finally {
        running.delete(result);
      }
    },
    close(release) {
      closed ??= Promise.allSettled(running).then(release);
      return closed;
    },
  };
}
