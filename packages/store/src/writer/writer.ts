import type { AnyMessage } from '@waybill/contracts';

/** A service in the registry of writers. Hand it to `outbox({ writer })`, and messages say who wrote them. */
export interface Writer {
  /** The schema of the tables. */
  readonly schema: string;
  /** What messages carry as `written_by`; null until the store has been reached. */
  readonly id: number | null;
  /** Resolves when the service is in the registry, or stopped before. Nothing has to wait for it. */
  readonly registered: Promise<void>;
  /** Signs off and ends the heartbeat. Never rejects: a store that is down has the entry grow old instead. */
  stop(): Promise<void>;
}

export interface WriterOptions {
  /** Which build runs, in the operator's words, as `shop@2.1.0`. */
  readonly build: string;
  /** The messages that this service enqueues. */
  readonly writes: readonly AnyMessage[];
  /** Told when the store cannot be reached or used, once at first and then once a minute, and when it can be again. */
  readonly report?: (report: WriterReport) => void;
  readonly clock?: WriterClock;
}

export type WriterReport =
  | { readonly status: 'failing'; readonly cause: unknown; readonly failures: number }
  | { readonly status: 'registered'; readonly id: number };

export interface WriterClock {
  /** Resolves after `ms`, or as soon as the signal fires. Never rejects, and keeps no process alive. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Timers that let a process end which has nothing else to do. */
export const systemWriterClock: WriterClock = {
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, signal.aborted ? 0 : ms).unref();
      signal.addEventListener('abort', end);
    }),
};
