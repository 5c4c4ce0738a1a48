import { inIndexOrder } from '../statements/index-order.ts';
import { type CountFilter, countState } from '../statements/record-count.ts';
import type { Store } from '../store.ts';
import { checkCountFilter } from './filter.ts';

export interface CappedCount {
  readonly count: number;
  /** True: at least so many. The count has looked at as many rows as it may. */
  readonly capped: boolean;
}

// Some tens of milliseconds. Nobody acts differently on 20,000 and on 2,000,000.
const MAX_ROWS = 20_000;

/** How many messages are in a state. Never counts a whole table: looks at 20,000 rows at most, the oldest live ones or the newest of the others. */
export async function countRecords(store: Store, filter: CountFilter): Promise<CappedCount> {
  checkCountFilter(filter);
  const { count, complete } = await inIndexOrder(store, (tx) => countState(tx, store, filter, MAX_ROWS));
  return { count, capped: !complete };
}
