import type { Executor } from '../executor.ts';
import type { LiveWriter } from '../rollout/gates.ts';
import type { VersionName } from '../rollout/standing.ts';
import { integerOf, textOf } from '../row.ts';
import type { Store } from '../store.ts';

export interface WriterEntry {
  /** Which build runs, in the operator's words. */
  readonly build: string;
  /** The newest generation of the tables that the build knows. */
  readonly generation: number;
  /** The contracts that it writes. */
  readonly contractIds: readonly number[];
}

/** Enters a writer in the registry and gives its id. */
export async function registerWriter(executor: Executor, store: Store, entry: WriterEntry): Promise<number> {
  const [row] = await executor.query(
    `insert into ${store.quoted}.writer (build, generation, writes) values ($1, $2::integer, $3::integer[]) returning id`,
    [entry.build, entry.generation, entry.contractIds],
  );
  if (row === undefined) throw new TypeError('an insert answered without a row');
  return integerOf(row, 'id');
}

/** Heartbeat. Gives whether the writer is still in the registry. */
export async function seeWriter(executor: Executor, store: Store, id: number): Promise<boolean> {
  const rows = await executor.query(
    `update ${store.quoted}.writer set seen_at = clock_timestamp() where id = $1::integer and left_at is null returning id`,
    [id],
  );
  return rows.length > 0;
}

/** Signs a writer off. Its row stays, since messages name it. */
export async function leaveWriter(executor: Executor, store: Store, id: number): Promise<void> {
  await executor.query(`update ${store.quoted}.writer set left_at = clock_timestamp() where id = $1::integer`, [id]);
}

/** Running writers that write a version, and no newer one of its type. */
export async function liveWritersOf(
  executor: Executor,
  store: Store,
  { type, version }: VersionName,
  liveMs: number,
): Promise<readonly LiveWriter[]> {
  const rows = await executor.query(
    `select w.id::text as id, w.build from ${store.quoted}.writer w
     where w.left_at is null and w.seen_at > clock_timestamp() - $3::bigint * interval '1 millisecond'
       and $2::integer = (select max(c.schema_version) from ${store.quoted}.contract c where c.type = $1 and c.id = any (w.writes))
     order by w.id`,
    [type, version, liveMs],
  );
  return rows.map((row) => ({ id: textOf(row, 'id'), build: textOf(row, 'build') }));
}
