import { DEFAULT_RETRY_POLICY, type RetryPolicy } from '../retry/retry-policy.ts';

/** What an operator may tune about the loop. Checked and frozen by whoever makes it; the loop trusts the values. */
export interface LoopSettings {
  readonly workers: {
    /** Runs handled at the same time. */
    readonly concurrency: number;
    /** Records of one key claimed together at most. */
    readonly runLength: number;
  };
  readonly lease: {
    /** How long a claim lasts without renewal, and so how long the records of a killed process wait. */
    readonly leaseMs: number;
    /** How often the heartbeat renews. */
    readonly renewEveryMs: number;
  };
  readonly retry: RetryPolicy;
  readonly polling: {
    /** Pause between claims while there is work. */
    readonly busyMs: number;
    /** Longest pause between claims while there is none; also how late a due retry may be noticed. */
    readonly idleMs: number;
  };
  readonly shutdown: {
    /** How long a drain waits for what is in hand. */
    readonly drainMs: number;
  };
}

/** Each value with its reason. */
export const DEFAULT_LOOP_SETTINGS: LoopSettings = {
  // Targets are waited for, not computed with: more workers than cores. Few enough for a pool of twenty connections to serve in-database handlers.
  // A run of fifty amortises a claim and a settlement to nothing, and a crash repeats at most fifty records of a key.
  workers: { concurrency: 16, runLength: 50 },
  // Half a minute outlives a garbage collection, a failover of the store's proxy and two missed heartbeats, and is short enough for a crash at night.
  lease: { leaseMs: 30_000, renewEveryMs: 10_000 },
  retry: DEFAULT_RETRY_POLICY,
  // Two milliseconds are less than a commit takes on most disks. An idle dispatcher asks once a second: nothing to a database, little to a message.
  polling: { busyMs: 2, idleMs: 1_000 },
  // Leaves ten of the thirty seconds that orchestrators give by default to settling, releasing and leaving.
  shutdown: { drainMs: 20_000 },
};
