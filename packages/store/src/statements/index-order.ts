import type { Connection } from '../executor.ts';
import type { Store } from '../store.ts';
import { transaction } from '../transaction/transaction.ts';

// An operator who looks at a store in trouble must not add to it.
const READ_TIMEOUT_MS = 10_000;

const SETTINGS = `select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true),
  set_config('jit', 'off', true), set_config('statement_timeout', $1, true)`;

/**
 * Runs reads for operators, which know the index that serves them and read it in its order. The planner, which takes a bound that it cannot see
 * for a small one, would fetch and sort whole tables.
 */
export async function inIndexOrder<T>(
  store: Store,
  fn: (connection: Connection) => Promise<T>,
  timeoutMs: number = READ_TIMEOUT_MS,
): Promise<T> {
  return store.database.connection((connection) =>
    transaction(connection, async (tx) => {
      await tx.query(SETTINGS, [`${String(timeoutMs)}ms`]);
      return fn(tx);
    }),
  );
}
