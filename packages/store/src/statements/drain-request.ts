import type { Executor } from '../executor.ts';
import { textOf } from '../row.ts';
import type { Store } from '../store.ts';

/** Which dispatchers: one by its id, or all of a build. */
export type DispatcherSubject =
  | { readonly id: string; readonly build?: undefined }
  | { readonly build: string; readonly id?: undefined };

/** A dispatcher by what an operator calls it. */
export interface NamedDispatcher {
  readonly id: string;
  readonly build: string;
}

/** The dispatchers that claim now, locked, so that none of them leaves meanwhile. */
export async function lockDispatchers(
  executor: Executor,
  store: Store,
  { id = null, build = null }: { readonly id?: string | undefined | null; readonly build?: string | undefined | null },
): Promise<readonly NamedDispatcher[]> {
  const rows = await executor.query(
    `select id::text as id, build from ${store.quoted}.dispatcher d
     where ${store.quoted}.vouches(d) and (id::text = $1 or build = $2) order by id for no key update`,
    [id, build],
  );
  return rows.map((row) => ({ id: textOf(row, 'id'), build: textOf(row, 'build') }));
}

/** Asks dispatchers to drain; what was asked before stays as it was. */
export async function requestDrain(executor: Executor, store: Store, ids: readonly string[]): Promise<void> {
  await executor.query(
    `update ${store.quoted}.dispatcher set drain_asked_at = clock_timestamp() where id = any ($1::uuid[]) and drain_asked_at is null`,
    [ids],
  );
}
