import type { Executor } from '../executor.ts';
import { integerOf, textOf } from '../row.ts';
import type { Store } from '../store.ts';

/** How long the oldest live message of one contract has been waiting, by the database's clock. */
export interface PendingAge {
  readonly type: string;
  readonly version: number;
  readonly ageMs: number;
  /** False: it is at least so old. Others of its contract may wait, farther back than was looked. */
  readonly exact: boolean;
}

// The oldest live rows of all, up to the budget; for contracts that are not among them the heads that have been ready, or due, for longest.
const text = (schema: string): string => `
with oldest as materialized (
  select k.contract_id, min(k.seq) as seq from (
    select contract_id, seq from ${schema}.delivery where not settled order by position limit $1::bigint) k group by k.contract_id),
whole as (select (select count(*) from (select 1 from ${schema}.delivery where not settled order by position limit $1::bigint + 1) n) <= $1::bigint as yes),
rest as materialized (
  select c.id as contract_id, least(
    (select d.seq from ${schema}.delivery d where d.contract_id = c.id and d.ready_xid is not null order by d.contract_id, d.ready_xid, d.position limit 1),
    (select d.seq from ${schema}.delivery d where d.contract_id = c.id and d.due_at is not null and not d.settled order by d.contract_id, d.due_at limit 1)) as seq
  from ${schema}.contract c where not (select yes from whole) and not exists (select 1 from oldest o where o.contract_id = c.id))
select c.type, c.schema_version, case when a.exact then 'yes' else 'no' end as exact,
  (greatest(0, extract(epoch from clock_timestamp() - m.enqueued_at) * 1000))::bigint::text as age_ms
from (select *, true as exact from oldest union all select *, false from rest) a
join ${schema}.contract c on c.id = a.contract_id, lateral (select m.enqueued_at from ${schema}.message m where m.seq = a.seq) m
order by m.enqueued_at`;

/** By contract, oldest first; contracts without a live message are not among them. */
export async function readPendingAges(
  executor: Executor,
  store: Store,
  budget: number,
): Promise<readonly PendingAge[]> {
  const rows = await executor.query(text(store.quoted), [budget]);
  return rows.map((row) => ({
    type: textOf(row, 'type'),
    version: integerOf(row, 'schema_version'),
    ageMs: Number(textOf(row, 'age_ms')),
    exact: textOf(row, 'exact') === 'yes',
  }));
}
