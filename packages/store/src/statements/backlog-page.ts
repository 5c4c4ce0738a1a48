import type { Executor } from '../executor.ts';
import type { BacklogRecord } from '../rollout/shadow-read.ts';
import { integerOf, textOf } from '../row.ts';
import type { Store } from '../store.ts';

/** What may still be handed to a reader: live deliveries by position, and open dead letters by the number of their message. */
export const BACKLOGS = ['live', 'dead-letter'] as const;
export type BacklogSource = (typeof BACKLOGS)[number];

/** The places between two others, in the order of one end. Neither bound is part of it. */
export interface BacklogRange {
  readonly above: string;
  readonly below: string;
}

export interface BacklogPage {
  readonly backlog: BacklogSource;
  readonly range: BacklogRange;
  readonly order: 'newest' | 'oldest';
  readonly most: number;
}

// Each is a range of one index: the primary key of the deliveries, and the current dead letters by message.
const SOURCES: Readonly<Record<BacklogSource, (schema: string) => string>> = {
  live: (schema) => `select position as place, seq,
    case when lease_expires_at > statement_timestamp() then 'processing' else 'pending' end as state from ${schema}.delivery where not settled`,
  'dead-letter': (schema) => `select seq as place, seq, 'dead-letter' as state
    from ${schema}.dead_letter where replayed_at is null and discarded_at is null`,
};

function text(schema: string, backlog: BacklogSource, order: BacklogPage['order']): string {
  const direction = order === 'newest' ? 'desc' : 'asc';
  return `
select b.place::text as place, m.id::text as id, c.type, c.schema_version, b.state, m.payload::text as payload,
  greatest(0, extract(epoch from clock_timestamp() - m.enqueued_at))::bigint::text as age_seconds
from (select * from (${SOURCES[backlog](schema)}) s
  where s.place > $1::bigint and s.place < $2::bigint order by s.place ${direction} limit $3::bigint) b
join ${schema}.message m on m.seq = b.seq join ${schema}.contract c on c.id = m.contract_id
order by b.place ${direction}`;
}

/** Records with their payloads from one end of a range. Takes no lease and no lock on a row. */
export async function readBacklogPage(
  executor: Executor,
  store: Store,
  { backlog, range, order, most }: BacklogPage,
): Promise<readonly (BacklogRecord & { readonly place: string })[]> {
  const rows = await executor.query(text(store.quoted, backlog, order), [range.above, range.below, most]);
  return rows.map((row) => ({
    place: textOf(row, 'place'),
    id: textOf(row, 'id'),
    type: textOf(row, 'type'),
    version: integerOf(row, 'schema_version'),
    // Spelled out in the sources above.
    state: textOf(row, 'state') as BacklogRecord['state'],
    payload: textOf(row, 'payload'),
    ageSeconds: Number(textOf(row, 'age_seconds')),
  }));
}

/** Where the transactions begin that are not over yet. */
export async function readOldestOpen(executor: Executor): Promise<string> {
  const [row] = await executor.query('select pg_snapshot_xmin(pg_current_snapshot())::text as oldest');
  if (row === undefined) throw new TypeError('a look at the snapshot answered without a row');
  return textOf(row, 'oldest');
}

/** Whether a transaction from then on has brought a dead letter back to life. Those of the last day only: the ages of transactions begin anew one day. */
export async function wereReplayed(executor: Executor, store: Store, oldestOpen: string): Promise<boolean> {
  const rows = await executor.query(
    `select 1 as one from ${store.quoted}.dead_letter where replayed_at > clock_timestamp() - interval '1 day' and age(xmin) <= age($1::text::xid8::xid) limit 1`,
    [oldestOpen],
  );
  return rows.length > 0;
}
