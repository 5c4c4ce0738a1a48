import type { Executor } from '../executor.ts';
import { textOf } from '../row.ts';
import type { Store } from '../store.ts';

export interface DispatcherEntry {
  /** A uuid, new at every start and after every lost connection: it owns leases. */
  readonly id: string;
  /** Which build runs, in the operator's words. */
  readonly build: string;
  /** The contracts that this build can read and has a route for. */
  readonly contractIds: readonly number[];
}

/** Enters a dispatcher in the registry. From now on its contracts have a reader. */
export async function registerDispatcher(
  store: Store,
  entry: DispatcherEntry,
  executor: Executor = store.database,
): Promise<void> {
  await executor.query(
    `insert into ${store.quoted}.dispatcher (id, build, capabilities) values ($1::uuid, $2, $3::integer[])`,
    [entry.id, entry.build, entry.contractIds],
  );
}

/**
 * Heartbeat. Gives the dispatchers that have gone silent for longer than `silentMs` without signing off, so that a claimer can look for
 * what they held, and whether this dispatcher is still in the registry.
 */
export async function seeDispatcher(
  store: Store,
  { id, silentMs }: { readonly id: string; readonly silentMs: number },
  executor: Executor = store.database,
): Promise<{ readonly registered: boolean; readonly silent: readonly string[] }> {
  const rows = await executor.query(
    `with seen as (update ${store.quoted}.dispatcher set seen_at = clock_timestamp() where id = $1::uuid returning id)
     select id::text as id from seen
     union all
     select id::text from ${store.quoted}.dispatcher
     where left_at is null and id <> $1::uuid and seen_at < clock_timestamp() - $2::bigint * interval '1 millisecond'
       and seen_at > clock_timestamp() - interval '1 day'`,
    [id, silentMs],
  );
  const ids = rows.map((row) => textOf(row, 'id'));
  return { registered: ids.includes(id), silent: ids.filter((other) => other !== id) };
}

/** Marks a dispatcher as draining: it finishes what it has and claims nothing more, so it is nobody's reader any longer. */
export async function drainDispatcher(store: Store, id: string, executor: Executor = store.database): Promise<void> {
  await executor.query(`update ${store.quoted}.dispatcher set draining = true where id = $1::uuid`, [id]);
}

/** Signs a dispatcher off. Its row stays, since history names it. */
export async function leaveDispatcher(store: Store, id: string, executor: Executor = store.database): Promise<void> {
  await executor.query(
    `update ${store.quoted}.dispatcher set draining = true, left_at = clock_timestamp() where id = $1::uuid`,
    [id],
  );
}
