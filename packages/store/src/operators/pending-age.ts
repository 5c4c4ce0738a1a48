import { inIndexOrder } from '../statements/index-order.ts';
import { type PendingAge, readPendingAges } from '../statements/pending-age.ts';
import type { Store } from '../store.ts';

// Some tens of milliseconds of the primary key.
const MAX_ROWS = 50_000;

/**
 * The age of the oldest message that has not ended, for each contract that has one, by the database's clock: neither the caller's clock nor a
 * caller's `occurredAt` counts. Looks at the 50,000 oldest live rows; behind those an age is a lower bound (`exact: false`), and a contract
 * whose messages all wait behind others of their keys may be missing.
 */
export async function oldestPending(store: Store): Promise<readonly PendingAge[]> {
  return inIndexOrder(store, (tx) => readPendingAges(tx, store, MAX_ROWS));
}
