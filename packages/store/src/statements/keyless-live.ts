import type { Executor } from '../executor.ts';
import type { Store } from '../store.ts';

/** Whether a record of these contracts that was written without a key is on its way. On tables with keys only; the index holds nothing else. */
export async function hasKeylessLive(
  executor: Executor,
  store: Store,
  contractIds: readonly number[],
): Promise<boolean> {
  const rows = await executor.query(
    `select 'yes' as found from ${store.quoted}.delivery
     where record_key is null and not settled and contract_id = any ($1::integer[]) order by position limit 1`,
    [contractIds],
  );
  return rows.length > 0;
}
