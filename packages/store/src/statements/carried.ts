import type { Executor } from '../executor.ts';
import type { Carried } from '../rollout/gates.ts';
import { integerOf, textOf } from '../row.ts';
import type { Store } from '../store.ts';
import type { ContractFilter } from './contract-find.ts';

const MAX_SAMPLE = 5;

// Each part is a range of one index, in its order, of one contract at a time. A record under a lease is in process, and it is its head that has
// the lease; the rest of a run counts as pending.
const LIVE: readonly string[] = [
  'd.ready_xid is not null order by d.contract_id, d.ready_xid, d.position',
  'd.due_at is not null and not d.settled order by d.contract_id, d.due_at',
  'd.ready_xid is null and d.due_at is null and not d.settled order by d.contract_id, d.position',
];

const text = (schema: string): string => `
with asked as materialized (
  select id, type, schema_version from ${schema}.contract c where ($1::text is null or c.type = $1) and ($2::integer is null or c.schema_version = $2) order by c.type, c.schema_version),
found as materialized (
  ${LIVE.map(
    (
      part,
    ) => `select a.id, f.seq, case when f.lease_expires_at > statement_timestamp() then 'processing' else 'pending' end as state, f.nth
  from asked a, lateral (select k.*, row_number() over () as nth from (
    select d.seq, d.lease_expires_at from ${schema}.delivery d where d.contract_id = a.id and ${part} limit $3::bigint + 1) k) f`,
  ).join('\n  union all\n  ')}
  union all
  select a.id, f.seq, 'dead-letter', f.nth
  from asked a, unnest(array['refused', 'attempts-exhausted', 'crash-loop', 'unreadable']) q (reason), lateral (select k.*, row_number() over () as nth from (
    select l.seq from ${schema}.dead_letter l where l.contract_id = a.id and l.reason = q.reason and l.replayed_at is null and l.discarded_at is null
    order by l.contract_id, l.reason, l.seq limit $3::bigint + 1) k) f),
summed as materialized (
  select id, state, count(*) filter (where nth <= $3::bigint) as count, bool_or(nth > $3::bigint) as capped, min(seq) as oldest,
    (array_agg(seq order by seq))[1:${String(MAX_SAMPLE)}] as sample
  from found group by id, state)
select a.type, a.schema_version, s.state, s.count::integer as count, case when s.capped then 'yes' else 'no' end as capped,
  (select greatest(0, extract(epoch from clock_timestamp() - m.enqueued_at))::bigint::text from ${schema}.message m where m.seq = s.oldest) as age_seconds,
  (select string_agg(m.id::text, ',' order by m.seq) from unnest(s.sample) u (seq), lateral (select * from ${schema}.message m where m.seq = u.seq) m) as sample
from summed s join asked a on a.id = s.id order by a.type, a.schema_version, s.state`;

/** What carries the versions asked for and has not ended for good: live and scheduled records, and dead letters that may be replayed. Each count is capped. */
export async function readCarried(
  executor: Executor,
  store: Store,
  { type, version }: ContractFilter,
  most: number,
): Promise<readonly Carried[]> {
  const rows = await executor.query(text(store.quoted), [type ?? null, version ?? null, most]);
  return rows.map((row) => ({
    type: textOf(row, 'type'),
    version: integerOf(row, 'schema_version'),
    // Spelled out in the statement above.
    state: textOf(row, 'state') as Carried['state'],
    count: integerOf(row, 'count'),
    capped: textOf(row, 'capped') === 'yes',
    oldestAgeSeconds: Number(textOf(row, 'age_seconds')),
    sampleIds: textOf(row, 'sample').split(','),
  }));
}
