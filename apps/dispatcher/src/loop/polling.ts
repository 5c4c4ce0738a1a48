import type { LoopSettings } from './settings.ts';

/** Due retries and delays need no look at every claim: their resolution is that of the backoff. */
export const TIMED_EVERY_MS = 100;

/**
 * How long to rest after a claim. A full claim leaves more behind, so none; a claim that found something is followed soon; an idle outbox is
 * asked more and more rarely, up to the idle interval. The last quarter is drawn at random, so that processes started together drift apart.
 */
export function pauseMs(
  claim: { readonly records: number; readonly isFull: boolean },
  previousMs: number,
  { busyMs, idleMs }: LoopSettings['polling'],
  random: () => number,
): number {
  if (claim.isFull) return 0;
  if (claim.records > 0) return busyMs;
  const longest = Math.min(Math.max(idleMs, busyMs), Math.max(busyMs, previousMs * 2));
  return longest * (1 - random() / 4);
}
