import type { Clock } from './clock.ts';
import type { HeldRun } from './held-run.ts';
import type { HeldRuns } from './held-runs.ts';

export interface LeaseWatchDeps {
  readonly held: HeldRuns;
  readonly leaseMs: number;
  readonly onStopped: (runs: readonly HeldRun[]) => void;
  readonly clock: Clock;
}

/** Looks twenty times a lease: a stop comes late by a twentieth of it at most, which the safety margin covers several times. */
const LOOKS_PER_LEASE = 20;

/**
 * Stops what could not be renewed in time, by the process's own clock and without asking anybody: a process that is cut off from the store
 * must stop sending before somebody else may begin.
 */
export async function watchLeases(
  { held, leaseMs, onStopped, clock }: LeaseWatchDeps,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const stopped = held.stopUnsafe(clock.now());
    if (stopped.length > 0) onStopped(stopped);
    await clock.sleep(leaseMs / LOOKS_PER_LEASE, signal);
  }
}
