import { StoreError } from '../errors.ts';
import { inIndexOrder } from '../statements/index-order.ts';
import type { RecordSummary } from '../statements/record-columns.ts';
import { type RecordFilter, readPage } from '../statements/record-page.ts';
import type { Store } from '../store.ts';
import { checkRecordFilter } from './filter.ts';

export interface ListOptions {
  /** By the order of writing. Defaults to `newest` first. */
  readonly order?: 'newest' | 'oldest';
  /** At most 500. Defaults to 50. */
  readonly limit?: number;
  /** The `next` of the page before, with the same filter and order. */
  readonly after?: string;
}

export interface RecordPage {
  readonly records: readonly RecordSummary[];
  /** Give it to the next call. Null: nothing more. A page may be short, even empty, and have a next one: it has looked at enough. */
  readonly next: string | null;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
// Some ten milliseconds of index, whatever is being looked for.
const PAGE_BUDGET = 5_000;
const PLACE = /^\d{1,19}$/;

/**
 * Messages by state, type, version, key and time, without their payloads, page by page. A page costs the same on a small and on a huge table.
 * Throws `STO_INVALID_OPTION` for a filter that means nothing, a limit below 1 and an `after` that is not a `next`.
 */
export async function listRecords(store: Store, filter: RecordFilter, options: ListOptions = {}): Promise<RecordPage> {
  checkRecordFilter(filter);
  const { order = 'newest', limit = DEFAULT_LIMIT, after = null } = options;
  if (!(limit >= 1)) throw new StoreError('STO_INVALID_OPTION', 'limit: expected a number from 1');
  if (after !== null && (typeof after !== 'string' || !PLACE.test(after)))
    throw new StoreError('STO_INVALID_OPTION', 'after: expected the next of a page');
  return inIndexOrder(store, (tx) =>
    readPage(tx, store, filter, {
      order,
      limit: Math.min(Math.floor(limit), MAX_LIMIT),
      budget: PAGE_BUDGET,
      after,
    }),
  );
}
