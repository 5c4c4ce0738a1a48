import { StoreError } from '@waybill/store';
import { type BackoffShape, backoffMs } from '../retry/backoff.ts';
import type { Clock } from './clock.ts';
import type { LoopLogger } from './loop-logger.ts';

/** Opens the connection over which hints arrive; rejects where they would not. */
export type OpenHints = (onHint: () => void) => Promise<HintConnection>;

export interface HintConnection {
  /** Ends with the connection. */
  readonly lost: Promise<void>;
  readonly close: () => Promise<void>;
}

export interface HintDeps {
  readonly open: OpenHints;
  readonly onHint: () => void;
  /** Called with each change. */
  readonly onHearing: (hears: boolean) => void;
  readonly logger: LoopLogger;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Hints are missed for so long at most where they come back; where they never come, hardly anybody is bothered by the tries. */
const BACKOFF: BackoffShape = { baseMs: 1_000, factor: 2, capMs: 300_000 };

/** Listens until the signal fires or no hints can be had, over one connection after the other. Never throws: polling finds every message without them. */
export async function listenUntil(deps: HintDeps, signal: AbortSignal): Promise<void> {
  const { clock, logger } = deps;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const connection = await deps.open(deps.onHint);
      failures = 0;
      deps.onHearing(true);
      await untilAborted(connection.lost, signal);
      deps.onHearing(false);
      await connection.close();
    } catch (err) {
      failures += 1;
      if (isDeaf(err)) {
        // A pooler stays one, and each try would leave another of its connections listening.
        logger.warn({ err }, 'no hints arrive: messages wait for the next claim, and nothing else depends on them');
        return;
      }
      // An outage of the store has lines of its own, which people read.
      logger.debug({ err, failures }, 'hints are not heard for now');
    }
    await clock.sleep(backoffMs(Math.max(1, failures), BACKOFF, deps.random), signal);
  }
}

function isDeaf(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'STO_NO_HINTS';
}

/** Ends with the work or with the signal, whichever comes first. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', end);
      resolve();
    };
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    void work.then(end);
  });
}
