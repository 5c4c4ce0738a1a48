import { type BackoffShape, backoffMs } from '../retry/backoff.ts';

/**
 * Whether a destination is worth trying. `closed`: yes. `open`: it has failed too often and is left alone until a moment, by the process's
 * clock. `half-open`: one record may try.
 */
export type Breaker =
  /** The records that failed since the last success, the newest last. */
  | { readonly state: 'closed'; readonly failed: readonly string[] }
  /** `openings`: how often in a row it has opened without a success in between. */
  | { readonly state: 'open'; readonly until: number; readonly openings: number }
  | { readonly state: 'half-open'; readonly openings: number };

export const CLOSED: Breaker = { state: 'closed', failed: [] };

/** Five failures in a row are no chance, and cost five records one attempt each of the many that they have. */
const OPENING_FAILURES = 5;
/** One poisoned record that fails again and again says nothing about its destination; three different ones do. */
const DISTINCT_RECORDS = 3;
/** A second is enough for a target that restarts; a minute is as long as an operator who has repaired it should have to wait. */
const REST: BackoffShape = { baseMs: 1_000, factor: 2, capMs: 60_000 };

/** What a failure of one record makes of a breaker. Pure. */
export function afterFailure(breaker: Breaker, record: string, now: number, random: () => number): Breaker {
  switch (breaker.state) {
    case 'closed': {
      const failed = [...breaker.failed, record].slice(-OPENING_FAILURES);
      const opens = failed.length === OPENING_FAILURES && new Set(failed).size >= DISTINCT_RECORDS;
      return opens ? openAgain(0, now, random) : { state: 'closed', failed };
    }
    case 'half-open':
      return openAgain(breaker.openings, now, random);
    case 'open':
      // It was under way when the breaker opened.
      return breaker;
  }
}

function openAgain(openings: number, now: number, random: () => number): Breaker {
  return { state: 'open', until: now + backoffMs(openings + 1, REST, random), openings: openings + 1 };
}

/** The breaker as it is at a moment: one that has rested long enough lets one record try. Pure. */
export function at(breaker: Breaker, now: number): Breaker {
  if (breaker.state !== 'open' || now < breaker.until) return breaker;
  return { state: 'half-open', openings: breaker.openings };
}
