import type { OutboxStateName } from '@waybill/contracts';

import type { Executor } from '../executor.ts';
import { integerOf } from '../row.ts';
import type { Store } from '../store.ts';
import { type ContractFilter, findContracts } from './contract-find.ts';

/** Which messages to count. */
export interface CountFilter extends ContractFilter {
  readonly state: OutboxStateName;
}

// A row is in process where the lease of its key's head reaches it.
const inProcess = (schema: string): string => `coalesce(k.lease_expires_at, (
  select h.lease_expires_at from (
    select * from ${schema}.delivery h where h.record_key = k.record_key and h.record_key <> '' and h.position < k.position and not h.settled
    order by h.position limit 1) h
  where h.run_to >= k.position), '-infinity') > statement_timestamp()`;

const SOURCES: Readonly<
  Record<OutboxStateName, (schema: string) => { readonly rows: string; readonly matches: string }>
> = {
  pending: (schema) => ({
    rows: `${schema}.delivery where not settled order by position`,
    matches: `not (${inProcess(schema)})`,
  }),
  processing: (schema) => ({
    rows: `${schema}.delivery where not settled order by position`,
    matches: inProcess(schema),
  }),
  dispatched: (schema) => ({ rows: `${schema}.dispatched order by seq desc`, matches: 'true' }),
  'dead-letter': (schema) => ({
    rows: `${schema}.dead_letter where replayed_at is null order by seq desc`,
    matches: 'true',
  }),
};

function countText(schema: string, state: OutboxStateName): string {
  const { rows, matches } = SOURCES[state](schema);
  return `
select count(*)::integer as looked_at, (count(*) filter (where k.contract_id = any ($1::integer[]) and ${matches}))::integer as count
from (select * from ${rows} limit $2::bigint) k`;
}

/** Counts among the first `budget` rows of the state's table; `complete`: there were no more. */
export async function countState(
  executor: Executor,
  store: Store,
  filter: CountFilter,
  budget: number,
): Promise<{ readonly count: number; readonly complete: boolean }> {
  const contracts = await findContracts(executor, store, filter);
  const [row] = await executor.query(countText(store.quoted, filter.state), [contracts, budget]);
  if (row === undefined) throw new TypeError('a count answered without a row');
  return { count: integerOf(row, 'count'), complete: integerOf(row, 'looked_at') < budget };
}
