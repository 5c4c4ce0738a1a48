import type { ProcessEvents } from '../run/stop.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Runs an operation that the first SIGINT or SIGTERM cancels. The second one ends the process, as if nobody listened. */
export async function untilInterrupted<T>(events: ProcessEvents, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  const stopListening = (): void => {
    for (const signal of SIGNALS) events.off(signal, onSignal);
  };
  function onSignal(): void {
    stopListening();
    interruption.abort();
  }
  for (const signal of SIGNALS) events.on(signal, onSignal);
  try {
    return await run(interruption.signal);
  } finally {
    stopListening();
  }
}
