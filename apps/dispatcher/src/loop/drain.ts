import type { Clock } from './clock.ts';

/** Why a dispatcher drains. */
export type DrainCause = 'asked' | 'fault';

/** How a drain ended. */
export interface DrainReport {
  /** Everything in hand ended by itself, and all of it was written down. */
  readonly complete: boolean;
  /** Runs that were given back without having been begun, or in the middle. */
  readonly interrupted: number;
  /** Runs whose end could not be written; their leases run out. */
  readonly unsettled: number;
  readonly ms: number;
}

export interface DrainSteps {
  /** Claims nothing more, starts no further record and gives back what nobody has begun. Ends when what is in hand has ended. */
  readonly finish: () => Promise<void>;
  /** Tells what is still in hand to stop. */
  readonly stop: () => void;
  /** Gives back what is still in hand, whether it has stopped or not. Gives how many runs that were. */
  readonly giveBack: () => number;
  /** Ends when everything is written down. */
  readonly settled: () => Promise<void>;
  /** Runs that are not written down. */
  readonly unsettled: () => number;
  /** Signs off and closes what the loop has opened. */
  readonly leave: () => Promise<void>;
}

/** A handler that listens to its signal ends within this; giving its record back before that would make two of it at once likely. */
const STOP_GRACE_MS = 1_000;
/** One flush and its retries, when the store answers at all. */
const SETTLE_MS = 5_000;
/** A courtesy to gates and other dispatchers; they find out without it as well. */
const LEAVE_MS = 2_000;

/** Brings the loop to its end in bounded time. `abandoned` ends every wait at once. */
export async function drain(
  steps: DrainSteps,
  { drainMs, clock, abandoned }: { readonly drainMs: number; readonly clock: Clock; readonly abandoned: AbortSignal },
): Promise<DrainReport> {
  const startedAt = clock.now();
  const within = (ms: number, work: Promise<void>): Promise<boolean> => endsWithin(work, ms, clock, abandoned);
  const finishing = steps.finish();
  const finished = await within(drainMs, finishing);
  if (!finished) {
    steps.stop();
    await within(STOP_GRACE_MS, finishing);
  }
  const interrupted = finished ? 0 : steps.giveBack();
  await within(SETTLE_MS, steps.settled());
  const unsettled = steps.unsettled();
  await within(LEAVE_MS, steps.leave());
  return { complete: finished && unsettled === 0, interrupted, unsettled, ms: Math.round(clock.now() - startedAt) };
}

async function endsWithin(work: Promise<void>, ms: number, clock: Clock, abandoned: AbortSignal): Promise<boolean> {
  const ended = new AbortController();
  const timeout = clock.sleep(ms, AbortSignal.any([ended.signal, abandoned])).then(() => false);
  try {
    return await Promise.race([work.then(() => true), timeout]);
  } finally {
    ended.abort();
  }
}
