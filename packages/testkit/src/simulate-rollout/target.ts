import type { AnyMessage, ContractPackage, DeadLetterReason, Readers, WhenUnreadable } from '@waybill/contracts';

/** A message version by name. */
export interface VersionName {
  readonly type: string;
  readonly version: number;
}

/** Type to versions, as a manifest says what a build reads or writes. */
export type VersionsByType = Readonly<Record<string, readonly number[]>>;

/** What a build says of itself. */
export interface SimulatedManifest {
  readonly build: string;
  readonly readers: VersionsByType;
  readonly writers: VersionsByType;
}

export interface ClaimedRecord extends VersionName {
  readonly id: string;
  readonly position: string;
  /** JSON, byte for byte. */
  readonly payload: string;
  /** Attempts before this one. */
  readonly attempt: number;
}

/** Consecutive records of one key under one lease. */
export interface ClaimedRun {
  readonly head: string;
  readonly fence: string;
  readonly records: readonly ClaimedRecord[];
}

/** What becomes of the first record of a run that was not delivered. */
export type RunEnd =
  | { readonly then: 'release'; readonly delayMs: number }
  | { readonly then: 'retry'; readonly delayMs: number; readonly error: string }
  | {
      readonly then: 'dead-letter';
      readonly position: string;
      readonly reason: DeadLetterReason;
      readonly error: string;
    };

export interface RunSettlement {
  readonly head: string;
  readonly fence: string;
  readonly delivered: readonly string[];
  readonly next: RunEnd;
}

/** One running dispatcher, as the store knows it. */
export interface DispatcherPort {
  /** Everything that it may take and can read, up to `limit` records. */
  claim(limit: number): Promise<{ readonly runs: readonly ClaimedRun[]; readonly sweepDue: boolean }>;
  /** The eldest record that was in hand when its process died. */
  claimSuspect(): Promise<readonly ClaimedRun[]>;
  settle(settlement: RunSettlement): Promise<'settled' | 'lease-lost'>;
  /** Gives the heads whose leases last for the full time again. */
  renew(leases: readonly { readonly head: string; readonly fence: string }[]): Promise<readonly string[]>;
  /** Heartbeat, with the positions that are in a handler. */
  see(inHand: readonly string[]): Promise<void>;
  leave(): Promise<void>;
}

export interface DispatcherStart {
  /** A uuid. */
  readonly id: string;
  readonly build: string;
  readonly contracts: readonly ContractPackage[];
  readonly heartbeatMs: number;
  readonly leaseMs: number;
  /** The time of the simulation, in milliseconds. */
  readonly now: () => number;
}

export interface SimulatedEnqueue {
  readonly id: string;
  readonly message: AnyMessage;
  readonly payload: unknown;
  readonly recordKey: string;
  readonly whenUnreadable: WhenUnreadable;
  /** Not to be delivered before so many milliseconds have passed; 0: at once. */
  readonly delayMs: number;
}

export type EnqueueResult =
  | { readonly status: 'written'; readonly version: number }
  /** No version of it may be written now; the transaction goes on. */
  | { readonly status: 'refused'; readonly why: string }
  /** The transaction has seen too little and has to be tried again; it is rolled back. */
  | { readonly status: 'stale' };

export type Isolation = 'read committed' | 'repeatable read' | 'serializable';

/** A transaction of a service that is open. */
export interface TransactionPort {
  enqueue(message: SimulatedEnqueue): Promise<EnqueueResult>;
  commit(): Promise<'committed' | 'rolled-back'>;
  rollback(): Promise<void>;
}

/** One running service, with what it remembers of the registry. */
export interface ServicePort {
  /** Begins a transaction and takes its first snapshot. */
  begin(isolation: Isolation): Promise<TransactionPort>;
}

export interface GateAnswer {
  readonly verdict: 'safe' | 'unsafe' | 'unknown';
  readonly blockers: readonly (VersionName & { readonly state: string; readonly count: number })[];
}

/** What operators ask and decide. */
export interface OperatorPort {
  gateWriters(manifest: SimulatedManifest): Promise<GateAnswer>;
  gateRollback(manifest: SimulatedManifest): Promise<GateAnswer>;
  gateRetire(name: VersionName): Promise<GateAnswer & { readonly revision: number | null }>;
  retire(
    name: VersionName,
    expectedRevision: number,
  ): Promise<'retired' | 'blocked' | 'already-retired' | 'not-found' | 'revision-moved'>;
  /** Gives the id of the declaration. */
  declare(build: string, reads: VersionsByType, forMs: number): Promise<string>;
  withdraw(id: string): Promise<void>;
  pin(name: VersionName, percent: number): Promise<void>;
  unpin(type: string): Promise<void>;
  allow(name: VersionName, forMs: number): Promise<void>;
  /** Gives whether the message was dead and lives again. */
  replay(id: string): Promise<boolean>;
  discard(id: string): Promise<boolean>;
}

/** A message with all that the store says of it. */
export interface StoredRecord extends VersionName {
  readonly id: string;
  readonly recordKey: string;
  readonly payload: string;
  readonly state: 'pending' | 'processing' | 'dispatched' | 'dead-letter';
  readonly pendingReason: string | null;
  readonly attempt: number;
  readonly deadReason: DeadLetterReason | null;
}

/**
 * The store under simulation: `rolloutTarget` of `@waybill/store/testing` is one. Everything but `empty`, `pass` and `records` is what programs
 * and operators call.
 */
export interface RolloutTarget {
  /** Forgets everything, contracts and registrations too. */
  empty(): Promise<void>;
  /** Lets time pass for all that the store remembers. */
  pass(ms: number): Promise<void>;
  readersOf(contracts: readonly ContractPackage[]): Pick<Readers, 'read' | 'capabilities'>;
  startDispatcher(start: DispatcherStart): Promise<DispatcherPort>;
  startService(): ServicePort;
  /** The place of a key in a ramp, 0 to 99. */
  rampPlace(key: string): number;
  /** Lets keys go on that hung behind a record which has ended. */
  sweep(): Promise<void>;
  /** All messages. */
  records(): Promise<readonly StoredRecord[]>;
  readonly operator: OperatorPort;
}
