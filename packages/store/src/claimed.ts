import type { KeptPolicy } from './statements/policy.ts';

/** One message in the hands of a dispatcher. Positions and sequence numbers are decimal strings: they may exceed 2^53. */
export interface ClaimedRecord {
  readonly position: string;
  readonly seq: string;
  /** Message id, the same over every retry and replay. */
  readonly id: string;
  readonly contractId: number;
  readonly occurredAt: Date;
  readonly enqueuedAt: Date;
  readonly tenant: string | null;
  /** Empty when the message has no key. */
  readonly recordKey: string;
  readonly event: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The payload's JSON text, byte for byte as it was written. */
  readonly payload: string;
  /** Attempts before this one. */
  readonly attempt: number;
  /** The retry policy under which it failed first; null before a failure. */
  readonly policy: KeptPolicy | null;
  /** How often a process has died with it in hand. Above zero it is a suspect, to be handled alone. */
  readonly crashes: number;
}

/** Consecutive records of one key under one lease, to be handled one after the other. Without a key a run has one record. */
export interface Run<R extends ClaimedRecord = ClaimedRecord> {
  /** Position of the head, which carries the lease. */
  readonly head: string;
  /** Grows with every claim of a delivery; every later write names it. */
  readonly fence: string;
  readonly recordKey: string;
  /** At least one, in order; the first is the head. */
  readonly records: readonly R[];
}
