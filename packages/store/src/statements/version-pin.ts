import type { Executor } from '../executor.ts';
import type { Operator } from '../operators/operator.ts';
import type { Pin } from '../rollout/standing.ts';
import { integerOf } from '../row.ts';
import type { Store } from '../store.ts';

/** The pin of a type, locked until the transaction ends. */
export async function lockPin(executor: Executor, store: Store, type: string): Promise<Pin | null> {
  const [row] = await executor.query(
    `select version, percent from ${store.quoted}.version_pin where type = $1 for update`,
    [type],
  );
  return row === undefined ? null : { version: integerOf(row, 'version'), percent: integerOf(row, 'percent') };
}

export async function writePin(
  executor: Executor,
  store: Store,
  pin: Pin & Operator & { readonly type: string },
): Promise<void> {
  await executor.query(
    `insert into ${store.quoted}.version_pin (type, version, percent, actor, reason) values ($1, $2::integer, $3::integer, $4, $5)
     on conflict (type) do update set version = excluded.version, percent = excluded.percent, actor = excluded.actor,
       reason = excluded.reason, pinned_at = clock_timestamp()`,
    [pin.type, pin.version, pin.percent, pin.actor, pin.reason],
  );
}

export async function deletePin(executor: Executor, store: Store, type: string): Promise<void> {
  await executor.query(`delete from ${store.quoted}.version_pin where type = $1`, [type]);
}

/** Lets whoever decided on the strength of an older revision of some types find out. */
export async function raiseRevisions(executor: Executor, store: Store, types: readonly string[]): Promise<void> {
  await executor.query(
    `update ${store.quoted}.contract c set revision = c.revision + 1
     from (select id from ${store.quoted}.contract where type = any ($1::text[]) order by id for no key update) o where c.id = o.id`,
    [types],
  );
}
