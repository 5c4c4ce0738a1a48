import type { Executor } from '../executor.ts';
import { integerOf, textOf } from '../row.ts';
import type { Store } from '../store.ts';

/** How many live rows of one contract stand where. */
export interface LiveCounts {
  readonly contractId: number;
  readonly type: string;
  readonly version: number;
  readonly ready: number;
  readonly timed: number;
  /** Behind an older row of their key, also of one that is leased or dead. */
  readonly behind: number;
  /** Heads under a lease; what is claimed with them stands behind. */
  readonly processing: number;
  /** Those of all these that have failed before. */
  readonly retrying: number;
}

// The oldest live rows are counted one by one. Where there are more, the heads of each contract are counted by its own indexes too, so that a
// contract whose rows all lie farther back is seen; each count is the larger of the two.
const text = (schema: string): string => `
with looked as materialized (
  select contract_id, attempt, ready_xid is not null as ready, due_at is not null as timed, coalesce(lease_expires_at > statement_timestamp(), false) as leased
  from ${schema}.delivery where not settled order by position limit $1::bigint),
counted as materialized (
  select contract_id, count(*) filter (where ready and not leased) as ready, count(*) filter (where timed and not leased) as timed,
    count(*) filter (where not ready and not timed) as behind, count(*) filter (where leased) as processing, count(*) filter (where attempt > 0) as retrying
  from looked group by contract_id),
whole as materialized (select count(*) < $1::bigint as yes from looked)
select c.id, c.type, c.schema_version, (case when w.yes then 1 else 0 end) as whole, coalesce(k.behind, 0)::integer as behind,
  greatest(k.ready, r.ready, 0)::integer as ready, greatest(k.timed, t.timed, 0)::integer as timed,
  greatest(k.processing, r.processing + t.processing, 0)::integer as processing, greatest(k.retrying, r.retrying + t.retrying, 0)::integer as retrying
from ${schema}.contract c cross join whole w left join counted k on k.contract_id = c.id
left join lateral (
  select count(*) filter (where not h.leased) as ready, count(*) filter (where h.leased) as processing, count(*) filter (where h.attempt > 0) as retrying
  from (select d.attempt, coalesce(d.lease_expires_at > statement_timestamp(), false) as leased from ${schema}.delivery d
        where d.contract_id = c.id and d.ready_xid is not null order by d.contract_id, d.ready_xid, d.position limit $2::bigint) h) r on not w.yes
left join lateral (
  select count(*) filter (where not h.leased) as timed, count(*) filter (where h.leased) as processing, count(*) filter (where h.attempt > 0) as retrying
  from (select d.attempt, coalesce(d.lease_expires_at > statement_timestamp(), false) as leased from ${schema}.delivery d
        where d.contract_id = c.id and d.due_at is not null and not d.settled order by d.contract_id, d.due_at limit $2::bigint) h) t on not w.yes
order by c.type, c.schema_version`;

/** A row for each contract. `whole`: every live row was counted, else the numbers are lower bounds. */
export async function readLiveCounts(
  executor: Executor,
  store: Store,
  { rows, headsPerContract }: { readonly rows: number; readonly headsPerContract: number },
): Promise<{ readonly whole: boolean; readonly contracts: readonly LiveCounts[] }> {
  const found = await executor.query(text(store.quoted), [rows, headsPerContract]);
  return {
    whole: found.every((row) => integerOf(row, 'whole') === 1),
    contracts: found.map((row) => ({
      contractId: integerOf(row, 'id'),
      type: textOf(row, 'type'),
      version: integerOf(row, 'schema_version'),
      ready: integerOf(row, 'ready'),
      timed: integerOf(row, 'timed'),
      behind: integerOf(row, 'behind'),
      processing: integerOf(row, 'processing'),
      retrying: integerOf(row, 'retrying'),
    })),
  };
}
