import type { Executor } from '../executor.ts';
import { instantOf, integerOf, textOf } from '../row.ts';
import type { Store } from '../store.ts';

/** An operator's word that a red gate is to be passed, while it lasts. */
export interface GateOverride {
  readonly actor: string;
  readonly reason: string;
  /** ISO 8601. */
  readonly until: string;
}

/** Live records without a key, counted up to `most`. On tables with keys only. */
export async function countKeylessLive(executor: Executor, store: Store, most: number): Promise<number> {
  const [row] = await executor.query(
    `select count(*)::integer as count from (
       select from ${store.quoted}.delivery where record_key is null and not settled order by position limit $1::integer) d`,
    [most],
  );
  return row === undefined ? 0 : integerOf(row, 'count');
}

/** The override that lasts longest; null when none is in force. */
export async function currentOverride(executor: Executor, store: Store): Promise<GateOverride | null> {
  const [row] = await executor.query(
    `select actor, reason, to_char(until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as until
     from ${store.quoted}.gate_override where gate = 'pull-worker' and until > clock_timestamp() order by until desc limit 1`,
  );
  return row === undefined
    ? null
    : { actor: textOf(row, 'actor'), reason: textOf(row, 'reason'), until: textOf(row, 'until') };
}

export async function insertOverride(
  executor: Executor,
  store: Store,
  { actor, reason, until }: { readonly actor: string; readonly reason: string; readonly until: Date },
): Promise<void> {
  await executor.query(
    `insert into ${store.quoted}.gate_override (gate, actor, reason, until) values ('pull-worker', $1, $2, $3::timestamptz)`,
    [actor, reason, until.toISOString()],
  );
}

/** The database's clock. */
export async function databaseTime(executor: Executor): Promise<Date> {
  const [row] = await executor.query('select (extract(epoch from clock_timestamp()) * 1000)::text as now');
  if (row === undefined) throw new TypeError('the database did not tell its time');
  return instantOf(row, 'now');
}
