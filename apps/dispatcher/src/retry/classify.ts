import type { Next } from '@waybill/store';
import type { AttemptOutcome, OutcomeOf } from '../attempt/outcome.ts';
import { retryDelayMs } from './backoff.ts';
import { cleanErrorText } from './error-text.ts';
import type { RetryPolicy } from './retry-policy.ts';

/** What becomes of a record after a try at it. */
export type Decision = { readonly delivered: true } | { readonly delivered: false; readonly next: Next };

/** What the decision depends on beside the outcome. */
export interface AttemptContext {
  /** Where the record is in the outbox. */
  readonly position: string;
  /** This attempt; 1 is the first. */
  readonly attempt: number;
  /** The policy under which the record failed first, or the one that is configured now. `id`: as the store knows it. */
  readonly policy: RetryPolicy & { readonly id?: number };
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** A pool that has no connection to give is likely to have none a moment later. */
const STORE_PAUSE_MS = 1_000;
/** Long enough that another build gets the record first, or that nobody looks at it in a loop; short enough for a fixed build to be quick. */
const UNREADABLE_PAUSE_MS = 30_000;

type Classify<Outcome> = (outcome: Outcome, context: AttemptContext) => Decision;

/** One rule per outcome; a new outcome does not compile without its rule. */
const RULES: { readonly [Name in AttemptOutcome['outcome']]: Classify<OutcomeOf<Name>> } = {
  accepted: () => ({ delivered: true }),
  retry: (outcome, context) => retryOrGiveUp(outcome, context, outcome.afterMs),
  // It may have been accepted; at-least-once means to try again rather than to hope.
  unknown: (outcome, context) => retryOrGiveUp(outcome, context),
  refused: (outcome, { position }) =>
    undelivered({ then: 'dead-letter', position, reason: 'refused', error: evidence(outcome) }),
  'lease-lost': () => undelivered({ then: 'release' }),
  'store-unavailable': () => undelivered({ then: 'release', delayMs: STORE_PAUSE_MS }),
  'unreadable-here': (outcome, { position }) =>
    undelivered(
      outcome.byNobody
        ? { then: 'dead-letter', position, reason: 'unreadable', error: evidence(outcome) }
        : { then: 'release', delayMs: UNREADABLE_PAUSE_MS },
    ),
};

/** Decides what becomes of a record. Pure: the same arguments give the same decision. */
export function classify(outcome: AttemptOutcome, context: AttemptContext): Decision {
  // The table's type ties each rule to its own outcome; indexing with a union loses that tie.
  const rule = RULES[outcome.outcome] as Classify<AttemptOutcome>;
  return rule(outcome, context);
}

function retryOrGiveUp(outcome: OutcomeOf<'retry' | 'unknown'>, context: AttemptContext, askedMs?: number): Decision {
  const { attempt, position, policy, random } = context;
  const error = evidence(outcome);
  if (attempt >= policy.maxAttempts)
    return undelivered({ then: 'dead-letter', position, reason: 'attempts-exhausted', error });
  const delayMs = retryDelayMs(attempt, policy, random, askedMs);
  return undelivered({ then: 'retry', delayMs, error, ...(policy.id === undefined ? {} : { policyId: policy.id }) });
}

function undelivered(next: Next): Decision {
  return { delivered: false, next };
}

/** What a person needs who looks at the failed record. */
function evidence(outcome: OutcomeOf<'retry' | 'unknown' | 'refused' | 'unreadable-here'>): string {
  return cleanErrorText(
    `${outcome.outcome} (${outcome.class})${outcome.detail === undefined ? '' : `: ${outcome.detail}`}`,
  );
}
