import type { Readers } from '@waybill/contracts';
import type { Database, Store } from '@waybill/store';
import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import type { DestinationLimits } from '../flow/destination.ts';
import type { HealthFacts } from '../health/verdict.ts';
import type { Route } from '../routes/route.ts';
import type { Clock } from './clock.ts';
import type { DrainCause, DrainReport } from './drain.ts';
import type { ChooseDrainMode } from './drain-modes.ts';
import type { OpenHints } from './hints.ts';
import type { LoopObserver, TraceAttempt } from './observer.ts';
import type { LoopSettings } from './settings.ts';
import type { Suspects } from './suspects.ts';

/** Everything that the loop touches. Whoever opened a database closes it, once the loop has ended. */
export interface DispatcherDeps {
  readonly build: string;
  /** Claims and settlements go over its database. */
  readonly store: Store;
  /** Lends connections to in-database handlers, one to each worker that is in one. May be the store's. */
  readonly database: Database<PoolClient>;
  /** One connection for the heartbeat alone. */
  readonly heartbeatDatabase: Database;
  readonly readers: Readers;
  readonly routes: readonly Route[];
  readonly settings: LoopSettings;
  /** Limits by destination; one that is not named takes as much as it gets. */
  readonly limits: Readonly<Record<string, DestinationLimits>>;
  readonly suspects: Suspects;
  readonly chooseMode: ChooseDrainMode;
  readonly logger: Logger;
  /** Transports get deadlines on this clock; theirs is `performance.now()` unless told otherwise. */
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** A new UUID each time. */
  readonly newOwnerId: () => string;
  /** Told what happens. Defaults to nobody. */
  readonly observer?: LoopObserver;
  /** Opens the connection over which hints of new messages arrive. Without it they are found by asking. */
  readonly openHints?: OpenHints;
  /** Goes round each attempt. Defaults to the attempt alone. */
  readonly trace?: TraceAttempt;
}

/**
 * - `starting`: has not yet been entered in a store that is ready.
 * - `running`: claims.
 * - `degraded`: the store does not work; goes on by itself once it does.
 * - `draining`: claims nothing more and ends what is in hand.
 * - `stopped`: does nothing any more.
 */
export type DispatcherState = 'starting' | 'running' | 'degraded' | 'draining' | 'stopped';

/** What the loop has in its hands. */
export interface Workload {
  /** The id that this process is registered and claims under; null while it is not. */
  readonly owner: string | null;
  /** Claimed records that no worker has begun. */
  readonly bufferedRecords: number;
  /** Runs that are leased, in hand or waiting to be settled. */
  readonly heldRuns: number;
  readonly idleWorkers: number;
  /** The store answers. */
  readonly storeUp: boolean;
}

export interface RunningDispatcher {
  state(): DispatcherState;
  workload(): Workload;
  /** What probes are answered from. */
  health(): HealthFacts;
  /**
   * Ends in good order and in bounded time. Further calls get the same promise. After a `fault`, an exception that nobody caught, what is still
   * in hand at the end is not given back and the process does not sign off: one of these records is the reason, and counts as its killer.
   */
  drain(cause?: DrainCause): Promise<DrainReport>;
  /** Ends at once: what is in hand is told to stop, and its leases run out. */
  abort(): void;
  /** Fires when nothing more is claimed, whoever has asked for that. */
  readonly stopping: AbortSignal;
  /** Resolves once nothing runs any more, by drain or abort. Never rejects. */
  readonly done: Promise<void>;
}
