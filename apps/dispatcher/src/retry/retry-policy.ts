/** How often and how soon a failed record is tried again. */
export interface RetryPolicy {
  /** The attempt that is the last one. */
  readonly maxAttempts: number;
  /** Upper bound of the first delay in milliseconds. */
  readonly baseMs: number;
  /** What the bound is multiplied by after each attempt; at least 1. */
  readonly factor: number;
  /** Bound in milliseconds that no delay of the backoff exceeds. */
  readonly capMs: number;
}

/**
 * Outlives an outage of the target of 45 minutes and more, although full jitter halves the bounds on average:
 * ten bounds from 1 s to 512 s, then fourteen of 15 minutes, are nearly four hours, so two on average and hardly ever below one.
 */
export const DEFAULT_RETRY_POLICY: RetryPolicy = { maxAttempts: 25, baseMs: 1_000, factor: 2, capMs: 900_000 };
