import type { KeptPolicy, TypedRecord } from '@waybill/store';
import type { HeldRun } from '../loop/held-run.ts';
import { classify, type Decision } from '../retry/classify.ts';
import type { DatabaseAttemptEnd } from './database-attempt.ts';
import { type AttemptOutcome, LEASE_LOST } from './outcome.ts';

/** How an attempt ended that is not settled yet; `decision` is what to write down. */
export interface OpenEnd {
  readonly settled: false;
  readonly outcome: AttemptOutcome;
  readonly decision: Decision;
}

/** How an attempt ended. */
export type AttemptEnd = Extract<DatabaseAttemptEnd, { settled: true }> | OpenEnd;

export interface EndingDeps {
  /** For a record that has not failed before; one that has keeps its own. */
  readonly policy: (run: HeldRun) => KeptPolicy;
  readonly random: () => number;
}

/** What an outcome means for a record of a run. */
export function endOf(outcome: AttemptOutcome, record: TypedRecord, run: HeldRun, deps: EndingDeps): OpenEnd {
  const judgement = judged(outcome, run);
  const decision = classify(judgement, {
    position: record.position,
    attempt: record.attempt + 1,
    policy: record.policy ?? deps.policy(run),
    random: deps.random,
  });
  return { settled: false, outcome: judgement, decision };
}

/** A target that failed because it was told to stop has not failed. */
function judged(outcome: AttemptOutcome, run: HeldRun): AttemptOutcome {
  const failed = outcome.outcome === 'retry' || outcome.outcome === 'unknown';
  return failed && run.isStopped ? LEASE_LOST : outcome;
}
