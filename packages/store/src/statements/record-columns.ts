import { DEAD_LETTER_REASONS, KINDS, type Kind, PENDING_REASONS } from '@waybill/contracts';

import type { Row } from '../executor.ts';
import { instantOf, integerOf, textOf, textOrNull } from '../row.ts';
import type { OutboxState } from '../state.ts';

/** A message and where it stands, without its payload. */
export interface RecordSummary {
  readonly id: string;
  readonly kind: Kind;
  readonly type: string;
  readonly version: number;
  readonly occurredAt: Date;
  readonly enqueuedAt: Date;
  readonly tenant: string | null;
  /** Empty when the message has no key. */
  readonly recordKey: string;
  readonly event: string | null;
  readonly state: OutboxState;
}

/** Milliseconds since 1970, as text. */
export const millis = (expression: string): string => `(extract(epoch from ${expression}) * 1000)::text`;

/** For a statement that joins the view `record` as r and the message's current dead letter as l. */
export const SUMMARY_COLUMNS: string = `
  r.id::text as id, r.kind, r.type, r.schema_version, ${millis('r.occurred_at')} as occurred_at, ${millis('r.enqueued_at')} as enqueued_at,
  r.tenant, r.record_key, r.event, r.state, r.pending_reason, r.attempt, ${millis('r.next_attempt_at')} as next_attempt_at, r.last_error,
  ${millis('r.completed_at')} as completed_at, r.lease_owner::text as lease_owner, ${millis('r.lease_expires_at')} as lease_expires_at,
  r.fence::text as fence, r.delivered_by::text as delivered_by, l.id::text as dead_letter, l.reason as dead_reason,
  ${millis('l.discarded_at')} as discarded_at, l.discarded_by, l.discard_reason`;

export function decodeSummary(row: Row): RecordSummary {
  return {
    id: textOf(row, 'id'),
    kind: oneOf(KINDS, row, 'kind'),
    type: textOf(row, 'type'),
    version: integerOf(row, 'schema_version'),
    occurredAt: instantOf(row, 'occurred_at'),
    enqueuedAt: instantOf(row, 'enqueued_at'),
    tenant: textOrNull(row, 'tenant'),
    recordKey: textOrNull(row, 'record_key') ?? '',
    event: textOrNull(row, 'event'),
    state: DECODERS[oneOf(['pending', 'processing', 'dispatched', 'dead-letter'], row, 'state')](row),
  };
}

const DECODERS: { readonly [S in OutboxState['state']]: (row: Row) => Extract<OutboxState, { state: S }> } = {
  pending: (row) => ({
    state: 'pending',
    reason: oneOf(PENDING_REASONS, row, 'pending_reason'),
    attempt: integerOf(row, 'attempt'),
    nextAttemptAt: instantOf(row, 'next_attempt_at'),
    lastError: textOrNull(row, 'last_error'),
  }),
  processing: (row) => ({
    state: 'processing',
    attempt: integerOf(row, 'attempt'),
    lease: {
      owner: textOf(row, 'lease_owner'),
      expiresAt: instantOf(row, 'lease_expires_at'),
      fence: textOf(row, 'fence'),
    },
    lastError: textOrNull(row, 'last_error'),
  }),
  dispatched: (row) => ({
    state: 'dispatched',
    attempt: integerOf(row, 'attempt'),
    dispatchedAt: instantOf(row, 'completed_at'),
    dispatchedBy: textOf(row, 'delivered_by'),
    lastError: textOrNull(row, 'last_error'),
  }),
  'dead-letter': (row) => ({
    state: 'dead-letter',
    deadLetter: textOf(row, 'dead_letter'),
    attempt: integerOf(row, 'attempt'),
    reason: oneOf(DEAD_LETTER_REASONS, row, 'dead_reason'),
    error: textOf(row, 'last_error'),
    failedAt: instantOf(row, 'completed_at'),
    failedBy: textOf(row, 'delivered_by'),
    discarded:
      textOrNull(row, 'discarded_at') === null
        ? null
        : {
            at: instantOf(row, 'discarded_at'),
            by: textOf(row, 'discarded_by'),
            reason: textOf(row, 'discard_reason'),
          },
  }),
};

function oneOf<const T extends string>(values: readonly T[], row: Row, column: string): T {
  const text = textOf(row, column);
  const value = values.find((known) => known === text);
  if (value === undefined) throw new TypeError(`column ${column}: ${text} is not one of ${values.join(', ')}`);
  return value;
}
