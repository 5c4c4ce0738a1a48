import type { DeadLetterReason, OutboxStateName, PendingReason } from '@waybill/contracts';

/** Waits for its turn, for a time, or for somebody. */
export interface Pending {
  readonly state: 'pending';
  /** Derived at the moment of reading. */
  readonly reason: PendingReason;
  /** Attempts so far, since the last replay. */
  readonly attempt: number;
  readonly nextAttemptAt: Date;
  readonly lastError: string | null;
}

/** In the hands of one dispatcher, until the lease ends. */
export interface Processing {
  readonly state: 'processing';
  readonly attempt: number;
  readonly lease: { readonly owner: string; readonly expiresAt: Date; readonly fence: string };
  readonly lastError: string | null;
}

/** Its target has accepted it. Nothing follows. */
export interface Dispatched {
  readonly state: 'dispatched';
  readonly attempt: number;
  readonly dispatchedAt: Date;
  readonly dispatchedBy: string;
  /** Of an earlier attempt. */
  readonly lastError: string | null;
}

/** No further attempt is made. An operator may replay or discard it; what was discarded stays dead. */
export interface DeadLetter {
  readonly state: 'dead-letter';
  /** Id of the dead letter: a message may die again after a replay. */
  readonly deadLetter: string;
  readonly attempt: number;
  readonly reason: DeadLetterReason;
  readonly error: string;
  readonly failedAt: Date;
  readonly failedBy: string;
  readonly discarded: { readonly at: Date; readonly by: string; readonly reason: string } | null;
}

/** Where one message stands: one of four states, each with its own data. */
export type OutboxState = Pending | Processing | Dispatched | DeadLetter;

/**
 * Every way from one state to another, and no others. Death is named by its reason. A discard is not among them: it adds to what is known of a
 * dead letter and takes its way back.
 */
export const TRANSITIONS = {
  pending: { claimed: 'processing' },
  processing: {
    accepted: 'dispatched',
    retried: 'pending',
    released: 'pending',
    'lease-expired': 'pending',
    refused: 'dead-letter',
    'attempts-exhausted': 'dead-letter',
    'crash-loop': 'dead-letter',
    unreadable: 'dead-letter',
  },
  dispatched: {},
  'dead-letter': { replayed: 'pending' },
} as const;

type KeysOfEach<T> = T extends unknown ? keyof T : never;

/** What can happen to a message. */
export type OutboxEvent = KeysOfEach<(typeof TRANSITIONS)[OutboxStateName]>;

export const OUTBOX_EVENTS: readonly OutboxEvent[] = Object.values(TRANSITIONS).flatMap(
  // Object.keys of a literal gives its own keys, which is what keyof says.
  (events) => Object.keys(events) as OutboxEvent[],
);

/** The state after an event, or null where the event cannot happen. */
export function stateAfter(state: OutboxState, event: OutboxEvent): OutboxStateName | null {
  if (state.state === 'dead-letter' && state.discarded !== null) return null;
  const events: Readonly<Partial<Record<OutboxEvent, OutboxStateName>>> = TRANSITIONS[state.state];
  return events[event] ?? null;
}
