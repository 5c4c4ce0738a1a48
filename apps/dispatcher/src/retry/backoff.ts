import type { RetryPolicy } from './retry-policy.ts';

/** A target may ask for a long rest, but not put a record away for days: an hour is longer than most maintenance. */
const LONGEST_ASKED_MS = 3_600_000;

/** The shape of an exponential backoff; of a record's retries as of the loop's own. */
export type BackoffShape = Pick<RetryPolicy, 'baseMs' | 'factor' | 'capMs'>;

/**
 * Upper bound of the delay after the given attempt (1 = first), in milliseconds: base * factor^(attempt - 1), at most the cap.
 * The power is compared as a logarithm and taken only where it stays below the cap, so it cannot overflow.
 */
export function backoffBoundMs(attempt: number, shape: BackoffShape): number {
  const growth = (attempt - 1) * Math.log(shape.factor);
  if (Math.log(shape.baseMs) + growth >= Math.log(shape.capMs)) return shape.capMs;
  return Math.min(shape.capMs, shape.baseMs * Math.exp(growth));
}

/** Full jitter: a whole number of milliseconds from 1 to the bound. Failures that came together do not come back together. */
export function backoffMs(attempt: number, shape: BackoffShape, random: () => number): number {
  return Math.max(1, Math.ceil(random() * backoffBoundMs(attempt, shape)));
}

/**
 * The delay before the next attempt. What the target asked for (`Retry-After`) may lengthen the backoff and never shortens it,
 * else a target could be made to hammer itself; nonsense is ignored.
 */
export function retryDelayMs(attempt: number, policy: RetryPolicy, random: () => number, askedMs = 0): number {
  const longestMs = Math.max(policy.capMs, LONGEST_ASKED_MS);
  const asked = Number.isNaN(askedMs) ? 0 : Math.min(Math.max(0, Math.ceil(askedMs)), longestMs);
  return Math.max(backoffMs(attempt, policy, random), asked);
}
