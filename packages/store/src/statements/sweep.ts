import type { Executor } from '../executor.ts';
import { integerOf } from '../row.ts';
import type { Store } from '../store.ts';

/** Ends up to `most` tombstones; those whose key is in doubt are looked at again after `retryMs`. Gives how many are gone. Needs READ COMMITTED. */
export async function sweep(
  executor: Executor,
  store: Store,
  { most, retryMs }: { readonly most: number; readonly retryMs: number },
): Promise<number> {
  const [row] = await executor.query(`select ${store.quoted}.sweep($1::integer, $2::integer) as swept`, [
    most,
    retryMs,
  ]);
  return row === undefined ? 0 : integerOf(row, 'swept');
}
