/**
 * The closed sets of the outbox, each stated once. Code derives its unions from them, the database repeats them as constraints
 * and a test compares the two, so a value that is not listed here does not exist.
 */

/** What a message is; the kind decides who dispatches it and over which transport. */
export const KINDS = ['integration-event', 'journey-step-command', 'provider-side-effect'] as const;
export type Kind = (typeof KINDS)[number];

/** The life cycle of a record. */
export const OUTBOX_STATES = ['pending', 'processing', 'dispatched', 'dead-letter'] as const;
export type OutboxStateName = (typeof OUTBOX_STATES)[number];

/** Why a record is pending: shown to operators, never stored. */
export const PENDING_REASONS = ['ready', 'timed', 'behind', 'held', 'no-reader', 'paused'] as const;
export type PendingReason = (typeof PENDING_REASONS)[number];

/** What a transport may answer for one message. */
export const TRANSPORT_OUTCOMES = ['accepted', 'retry', 'refused', 'unknown'] as const;
export type TransportOutcomeName = (typeof TRANSPORT_OUTCOMES)[number];

/** How an attempt ended; the last three are not attempts and use none up. */
export const ATTEMPT_RESULTS = [
  'accepted',
  'retry',
  'refused',
  'unknown',
  'lease-lost',
  'store-unavailable',
  'unreadable-here',
] as const;
export type AttemptResult = (typeof ATTEMPT_RESULTS)[number];

/** Why a record is dead. */
export const DEAD_LETTER_REASONS = ['refused', 'attempts-exhausted', 'crash-loop', 'unreadable'] as const;
export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];

/** What happens to the younger records of a key when its head is dead. */
export const HEAD_POLICIES = ['continue', 'hold'] as const;
export type HeadPolicy = (typeof HEAD_POLICIES)[number];

/** How reading a stored record may end. */
export const READ_STATUSES = ['ok', 'unknown-type', 'unknown-version', 'invalid', 'upcast-failed'] as const;
export type ReadStatus = (typeof READ_STATUSES)[number];

/** What the compatibility rule says about an edit of a published version. */
export const VERDICTS = ['same-version', 'new-version', 'cannot-prove'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What a repeated delivery does to an effect. */
export const IDEMPOTENCY_CLASSES = ['deterministic-set', 'create', 'state-dependent', 'external'] as const;
export type IdempotencyClass = (typeof IDEMPOTENCY_CLASSES)[number];

/** What a writer does while a live dispatcher cannot read the newest version. */
export const WHEN_UNREADABLE = ['downcast', 'refuse', 'write-anyway'] as const;
export type WhenUnreadable = (typeof WHEN_UNREADABLE)[number];

/** What a delivery specification may promise; the outbox serves the first only. */
export const DELIVERY_GUARANTEES = ['at-least-once', 'best-effort'] as const;
export type DeliveryGuarantee = (typeof DELIVERY_GUARANTEES)[number];

/** How far a delivery specification has come; a draft names who decides and by when. */
export const SPECIFICATION_STATUSES = ['draft', 'accepted'] as const;
export type SpecificationStatus = (typeof SPECIFICATION_STATUSES)[number];
