import { readOldestTransactionAge, readTableHealth, type TableHealth } from '../statements/health.ts';
import { inIndexOrder } from '../statements/index-order.ts';
import type { Store } from '../store.ts';

/** What makes claims slow over time, however few messages wait. */
export interface StoreHealth {
  readonly tables: readonly TableHealth[];
  /** Of the oldest open transaction that holds vacuum back; 0 when there is none. Without pg_read_all_stats a role sees only its own sessions. */
  readonly oldestTransactionAgeMs: number;
}

/** The size of a table that somebody rewrites is not to be had; nobody waits long for it. */
const TIMEOUT_MS = 2_000;

/** Reads how the tables fare, at a cost that their size does not change. */
export async function readStoreHealth(store: Store): Promise<StoreHealth> {
  return inIndexOrder(
    store,
    async (tx) => ({
      tables: await readTableHealth(tx, store),
      oldestTransactionAgeMs: await readOldestTransactionAge(tx),
    }),
    TIMEOUT_MS,
  );
}
