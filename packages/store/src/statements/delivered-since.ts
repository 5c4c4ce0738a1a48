import type { Executor } from '../executor.ts';
import { instantOf, integerOf, textOf } from '../row.ts';
import type { Store } from '../store.ts';
import { millis } from './record-columns.ts';

/** A message of the same key that was delivered after the dead one had failed. */
export interface Delivered {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly dispatchedAt: Date;
}

/** What a replay would overtake itself with: the key's deliveries since. */
export interface DeliveredSince {
  /** Up to the cap. */
  readonly count: number;
  readonly capped: boolean;
  readonly newest: Delivered | null;
  /** The (type, version) pairs among them, as `type@version`. */
  readonly contracts: readonly string[];
}

// Messages written later, and older ones that were replayed behind it. Of a long key only both ends are looked at: what was delivered first
// and what was written last.
const text = (schema: string): string => `
with dead as (
  select l.seq, l.position, m.record_key from ${schema}.dead_letter l join ${schema}.message m on m.seq = l.seq where l.id = $1::bigint and m.record_key <> ''),
behind as materialized (${['asc', 'desc']
  .map(
    (end) => `(
  select m.seq from dead, lateral (
    select m.seq from ${schema}.message m where m.record_key = dead.record_key and m.record_key <> '' and m.seq > dead.seq
    order by m.seq ${end} limit $2::integer + 1) m)`,
  )
  .join(' union ')}),
later as materialized (
  select x.seq, x.contract_id, x.position, x.dispatched_at from behind b, lateral (select * from ${schema}.dispatched x where x.seq = b.seq) x),
again as materialized (
  select x.seq, x.contract_id, x.position, x.dispatched_at from dead, lateral (
    select r.seq, r.replayed_as from ${schema}.dead_letter r where r.replayed_as > dead.position and r.replayed_at is not null
    order by r.replayed_as desc limit $2::integer + 1) r,
    lateral (select * from ${schema}.dispatched x where x.seq = r.seq and x.position = r.replayed_as and r.seq < dead.seq) x,
    lateral (select 1 from ${schema}.message m where m.seq = r.seq and m.record_key = dead.record_key) m),
since as (select * from later union all select * from again)
select c.type || '@' || c.schema_version as contract, c.type, c.schema_version, count(*)::integer as count,
  (array_agg(m.id order by s.position desc))[1]::text as id, ${millis('max(s.dispatched_at)')} as dispatched_at, max(s.position)::text as position
from since s join ${schema}.contract c on c.id = s.contract_id join ${schema}.message m on m.seq = s.seq
group by c.id order by max(s.position) desc`;

/** What of a dead letter's key was delivered since, newest contract first; looks at `most` messages at most. */
export async function readDeliveredSince(
  executor: Executor,
  store: Store,
  deadLetter: string,
  most: number,
): Promise<DeliveredSince> {
  const rows = await executor.query(text(store.quoted), [deadLetter, most]);
  const count = rows.reduce((sum, row) => sum + integerOf(row, 'count'), 0);
  const [first] = rows;
  const newest =
    first === undefined
      ? null
      : {
          id: textOf(first, 'id'),
          type: textOf(first, 'type'),
          version: integerOf(first, 'schema_version'),
          dispatchedAt: instantOf(first, 'dispatched_at'),
        };
  return {
    count: Math.min(count, most),
    capped: count > most,
    newest,
    contracts: rows.map((row) => textOf(row, 'contract')),
  };
}
