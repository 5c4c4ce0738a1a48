import { checkAges } from '../ages.ts';
import { purgeInboxStep } from '../statements/inbox.ts';
import type { Store } from '../store.ts';

export interface InboxRetention {
  /** Entries of longer ago go. Above 0, and longer than a message may take to come again: without its entry a repeat is a first. */
  readonly olderThanMs: number;
  /** Entries that one transaction deletes. Defaults to 1,000. */
  readonly batch?: number;
  /** Ends the purge after the transaction under way. */
  readonly signal?: AbortSignal;
}

// Short enough to hold no lock for long, long enough that commits do not dominate.
const DEFAULT_BATCH = 1_000;

/** Deletes old entries of an inbox, the oldest first, each batch in a transaction of its own. Gives how many. */
export async function purgeInbox(store: Store, retention: InboxRetention): Promise<number> {
  const { olderThanMs, batch = DEFAULT_BATCH, signal } = retention;
  checkAges({ 'inbox.olderThanMs': olderThanMs, 'inbox.batch': batch });
  let total = 0;
  for (let purged = batch; purged === batch && signal?.aborted !== true; total += purged)
    purged = await purgeInboxStep(store.database, store, { olderThanMs, most: batch });
  return total;
}
