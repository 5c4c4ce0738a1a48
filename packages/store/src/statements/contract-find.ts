import type { Executor } from '../executor.ts';
import { integerOf } from '../row.ts';
import type { Store } from '../store.ts';

/** Which contracts; all of them when neither is given. */
export interface ContractFilter {
  readonly type?: string;
  readonly version?: number;
}

/** The ids of the contracts that a filter means. There are dozens of them, not millions: indexes that lead with the id are entered once for each. */
export async function findContracts(
  executor: Executor,
  store: Store,
  { type, version }: ContractFilter,
): Promise<readonly number[]> {
  const rows = await executor.query(
    `select id from ${store.quoted}.contract where ($1::text is null or type = $1) and ($2::integer is null or schema_version = $2) order by id`,
    [type ?? null, version ?? null],
  );
  return rows.map((row) => integerOf(row, 'id'));
}
