import { setTimeout as delay } from 'node:timers/promises';

import { StoreError } from '../errors.ts';
import { countOpen, type DeadLetterFilter, nextOpen } from '../statements/dead-letter-find.ts';
import type { Store } from '../store.ts';
import type { OperatorOptions } from './audit.ts';
import { checkDeadLetterFilter } from './filter.ts';
import { checkOperator, type Operator } from './operator.ts';
import { ReplayRun, type ReplayTally } from './replay-run.ts';

export interface ReplayManyRequest {
  readonly filter: DeadLetterFilter;
  /** What {@link countReplayable} has shown to the operator. With another number nothing is done. */
  readonly expectedCount: number;
  /** Replays at most so many, the oldest messages first. Defaults to all. */
  readonly limit?: number;
  /** Messages in one transaction. Defaults to 50. */
  readonly batch?: number;
  /** Keeps the flood from the target. Defaults to no limit. */
  readonly maxPerSecond?: number;
  /** Ends the operation after the batch under way; what was replayed stays replayed. */
  readonly signal?: AbortSignal;
  /** Told after each batch how many were replayed so far. */
  readonly onProgress?: (replayed: number) => void;
}

export type ReplayManyResult =
  /** The dead letters are not those that the operator saw. Nothing was done. */
  | { readonly status: 'count-moved'; readonly count: number; readonly capped: boolean }
  | ({ readonly status: 'done' | 'cancelled' } & ReplayTally);

// A batch holds the guards of its keys while it commits: writers of these keys wait for it.
const DEFAULT_BATCH = 50;
// An operator who means more than this should say which.
const MAX_COUNT = 1_000_000;

/** How many dead letters a bulk replay with this filter would find now. */
export async function countReplayable(
  store: Store,
  filter: DeadLetterFilter,
): Promise<{ readonly count: number; readonly capped: boolean }> {
  checkDeadLetterFilter(filter);
  const { count, capped } = await countOpen(store.database, store, filter, MAX_COUNT);
  return { count, capped };
}

/**
 * Replays dead letters in small transactions, in the order in which their messages were written, so that those of one key keep their order.
 * Dead letters that come up meanwhile are not taken. Each batch is audited in its own transaction.
 */
export async function replayMany<Native>(
  store: Store<Native>,
  request: ReplayManyRequest,
  by: Operator,
  options: OperatorOptions<Native> & { readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void> } = {},
): Promise<ReplayManyResult> {
  checkOperator(by);
  checkRequest(request);
  checkDeadLetterFilter(request.filter);
  const { filter, limit = Infinity, batch = DEFAULT_BATCH, signal, maxPerSecond = Infinity } = request;
  const { count, capped, newest } = await countOpen(store.database, store, filter, MAX_COUNT);
  if (count !== request.expectedCount) return { status: 'count-moved', count, capped };

  const run = new ReplayRun({ store, filter, by, audit: options });
  let afterSeq = '0';
  let taken = 0;
  while (taken < limit && signal?.aborted !== true) {
    const rows = await nextOpen(store.database, store, filter, {
      afterSeq,
      newest,
      most: Math.min(batch, limit - taken),
    });
    const last = rows.at(-1);
    if (last === undefined) break;
    afterSeq = last.seq;
    taken += rows.length;
    await run.replay(rows);
    request.onProgress?.(run.replayed);
    if (maxPerSecond !== Infinity) await (options.sleep ?? sleep)((rows.length * 1_000) / maxPerSecond, signal);
  }
  const tally = await run.finish(signal);
  return { status: signal?.aborted === true ? 'cancelled' : 'done', ...tally };
}

function checkRequest({ limit = 1, batch = 1, maxPerSecond = 1 }: ReplayManyRequest): void {
  const problems = Object.entries({ limit, batch, maxPerSecond }).filter(([, value]) => !(value > 0));
  if (problems.length === 0) return;
  throw new StoreError('STO_INVALID_OPTION', problems.map(([name]) => `${name}: expected a number above 0`).join('; '));
}

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
    // An abort ends the wait; the loop sees the signal.
    if (signal?.aborted !== true) throw error;
  });
}
