import type { LoopSettings } from './settings.ts';

/** Due retries and delays need no look at every claim: their resolution is that of the backoff. */
export const TIMED_EVERY_MS = 100;

/**
 * How many idle intervals a dispatcher rests that is told of new messages by their commit: what comes without a hint then, as a resumed target or the
 * records of a process that died, is found by polling alone, and can wait a little.
 */
const HINTED_INTERVALS = 2;

/** The pace of claims, as far as the producers' hints allow for. */
export function pollingWith(hinted: boolean, { busyMs, idleMs }: LoopSettings['polling']): LoopSettings['polling'] {
  return { busyMs, idleMs: hinted ? idleMs * HINTED_INTERVALS : idleMs };
}

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

/** How one claim went against what it asked for. */
export interface ClaimTally {
  /** The store says that it looked at as much as it may, whatever it took of that. */
  readonly moreLeft: boolean;
  readonly runs: number;
  readonly heads: number;
  readonly records: number;
  readonly limit: number;
}

/** Whether the next claim may find something at once. A claim that found only what a dead process had in hand takes nothing, and is full all the same. */
export function isFull({ moreLeft, runs, heads, records, limit }: ClaimTally): boolean {
  return moreLeft || (records > 0 && (records >= limit || runs >= heads));
}
