/** A bucket of tokens, one for each record that may be started. It fills by the second and holds what a second gives. */
export interface Bucket {
  readonly tokens: number;
  /** When `tokens` was true, by the process's clock. */
  readonly at: number;
}

/** The bucket at a moment. Pure. */
export function refilled(bucket: Bucket, perSecond: number, now: number): Bucket {
  const tokens = bucket.tokens + (Math.max(0, now - bucket.at) / 1_000) * perSecond;
  return { tokens: Math.min(tokens, Math.max(1, perSecond)), at: now };
}

/** A full bucket. Pure. */
export function fullBucket(perSecond: number, now: number): Bucket {
  return { tokens: Math.max(1, perSecond), at: now };
}

/** How long until the bucket holds a whole token, in milliseconds. Pure. */
export function msUntilToken(bucket: Bucket, perSecond: number, now: number): number {
  const { tokens } = refilled(bucket, perSecond, now);
  return tokens >= 1 ? 0 : ((1 - tokens) / perSecond) * 1_000;
}
