import type { AttemptResult, TransportOutcome } from '@waybill/contracts';

/**
 * How one try at a record ended: a transport's outcome, or one of three that are no attempt.
 *
 * `lease-lost`: the record may be somebody else's by now. `store-unavailable`: the outbox itself failed, which says nothing about
 * the record. `unreadable-here`: this build cannot read the record after all; another build may, unless `byNobody`: every live build has tried.
 */
export type AttemptOutcome =
  | TransportOutcome
  | { readonly outcome: 'lease-lost' }
  | { readonly outcome: 'store-unavailable'; readonly detail: string }
  | {
      readonly outcome: 'unreadable-here';
      readonly class: string;
      readonly detail: string;
      readonly byNobody: boolean;
    };

/** The outcome of one word. */
export type OutcomeOf<Name extends AttemptResult> = Extract<AttemptOutcome, { readonly outcome: Name }>;

export const LEASE_LOST: OutcomeOf<'lease-lost'> = { outcome: 'lease-lost' };

/** Accepted by code of ours, which gives no receipt. */
export const ACCEPTED: OutcomeOf<'accepted'> = { outcome: 'accepted', receipt: null, duplicate: false };
