import { isNotApplicable, type NotApplicable, type TransportTarget } from './target.ts';

/** What a case works with. */
export interface CaseContext {
  readonly target: TransportTarget;
  /** How many messages the leak case sends. */
  readonly leakMessages: number;
  /** Ends the case without a verdict. */
  skip(reason: string): never;
}

/** One requirement of the suite. Throws an `AssertionError` where it is not met. */
export interface SuiteCase {
  /** Starts with the ids that the case is a proof of. */
  readonly title: string;
  readonly run: (context: CaseContext) => Promise<void>;
}

/** What a target offers for a case, or the end of the case where the target has no such thing. */
export function offered<T extends object>(offer: T | NotApplicable, context: CaseContext): T {
  return isNotApplicable(offer) ? context.skip(offer.notApplicable) : offer;
}
