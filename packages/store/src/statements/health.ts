import type { Executor } from '../executor.ts';
import { textOf } from '../row.ts';
import type { Store } from '../store.ts';

/** The tables that grow and shrink with the messages. Of the others nobody needs to be warned. */
const TABLES = ['message', 'delivery', 'dispatched', 'dead_letter'] as const;

/** How one table fares. */
export interface TableHealth {
  readonly table: string;
  /** Rows that nobody sees any more and that vacuum has not removed: an estimate of the server. */
  readonly deadRows: number;
  /** With indexes and whatever is stored out of line. */
  readonly bytes: number;
}

// The functions that pg_stat_user_tables is made of: the view would go through every table of the database, and hide those that this role may not read.
const TABLE_TEXT = `
select c.relname::text as name, pg_stat_get_dead_tuples(c.oid)::text as dead_rows, pg_total_relation_size(c.oid)::text as bytes
from pg_catalog.pg_namespace n join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = any($2::text[]) and c.relkind = 'r'
where n.nspname = $1 order by 1`;

/** Reads no row of the tables, so it costs the same however large they are. */
export async function readTableHealth(executor: Executor, store: Store): Promise<readonly TableHealth[]> {
  const rows = await executor.query(TABLE_TEXT, [store.schema, TABLES]);
  return rows.map((row) => ({
    table: textOf(row, 'name'),
    deadRows: Number(textOf(row, 'dead_rows')),
    bytes: Number(textOf(row, 'bytes')),
  }));
}

// Only what holds a snapshot or an id keeps vacuum from removing rows; a session that merely said BEGIN does not. Nor does a vacuum, which takes hours
// on a large table. A prepared transaction has no session, and is forgotten for that reason.
const AGE_TEXT = `
select (greatest(0, coalesce(extract(epoch from clock_timestamp() - min(t.begun)), 0)) * 1000)::bigint::text as age_ms from (
  select a.xact_start as begun from pg_stat_activity a
  where a.datname = current_database() and a.pid <> pg_backend_pid() and (a.backend_xid is not null or a.backend_xmin is not null)
    and not exists (select 1 from pg_stat_progress_vacuum v where v.pid = a.pid)
  union all
  select p.prepared from pg_prepared_xacts p where p.database = current_database()) t`;

/** The age of the oldest transaction of this database that holds vacuum back, among those that this role may see; 0 when there is none. */
export async function readOldestTransactionAge(executor: Executor): Promise<number> {
  const [row] = await executor.query(AGE_TEXT);
  return row === undefined ? 0 : Number(textOf(row, 'age_ms'));
}
