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
  /** Where it takes which type: type -> destination. */
  readonly routing?: Readonly<Record<string, string>>;
  /** How long its leases last; 30 s unless given. */
  readonly leaseMs?: number;
  /** How long it must be silent to be taken for dead: longer than two heartbeats, and less than a lease. 25 s unless given. */
  readonly silentMs?: number;
  /** How often it shows that it lives, in milliseconds, up to five minutes: how long silence is put up with follows from it. Defaults to 10 s. */
  readonly heartbeatMs?: number;
  /** The version of a type that its target or handler gets, where that is not the stored one. */
  readonly handsOver?: Readonly<Record<string, number>>;
  /** What it may write itself, and where it sends, as in its manifest. */
  readonly writers?: Readonly<Record<string, readonly number[]>>;
  readonly destinations?: readonly string[];
}

const DEFAULT_HEARTBEAT_MS = 10_000;

/** Enters a dispatcher in the registry. From now on its contracts have a reader. */
export async function registerDispatcher(
  store: Store,
  entry: DispatcherEntry,
  executor: Executor = store.database,
): Promise<void> {
  await executor.query(
    `insert into ${store.quoted}.dispatcher (id, build, capabilities, lease_ms, silent_ms, routing, heartbeat_ms, hands_over, writers, destinations)
     values ($1::uuid, $2, $3::integer[], coalesce($4::bigint, 30000), coalesce($5::bigint, 25000), $6::text::jsonb, $7::integer, $8::text::jsonb,
       $9::text::jsonb, $10::text[])`,
    [
      entry.id,
      entry.build,
      entry.contractIds,
      entry.leaseMs ?? null,
      entry.silentMs ?? null,
      JSON.stringify(entry.routing ?? {}),
      entry.heartbeatMs ?? DEFAULT_HEARTBEAT_MS,
      JSON.stringify(entry.handsOver ?? {}),
      JSON.stringify(entry.writers ?? {}),
      entry.destinations ?? [],
    ],
  );
}

/**
 * Heartbeat. `inHand`: the positions that are in a handler now. A gap between two heartbeats that is longer than a dispatcher may be silent
 * ends its steady time: it cannot tell whether the store was there meanwhile.
 *
 * Gives the dispatchers that have gone silent without signing off, so that a claimer can look for what they held, and whether this dispatcher
 * is still in the registry.
 */
export async function seeDispatcher(
  store: Store,
  { id, inHand = [] }: { readonly id: string; readonly inHand?: readonly string[] },
  executor: Executor = store.database,
): Promise<{ readonly registered: boolean; readonly silent: readonly string[] }> {
  const rows = await executor.query(
    `with seen as (
       update ${store.quoted}.dispatcher
       set seen_at = clock_timestamp(), in_hand = $2::bigint[],
         steady_since = case when seen_at < clock_timestamp() - silent_ms * interval '1 millisecond' then clock_timestamp() else steady_since end
       where id = $1::uuid returning id)
     select id::text as id from seen
     union all
     select id::text from ${store.quoted}.dispatcher
     where left_at is null and id <> $1::uuid and seen_at < clock_timestamp() - silent_ms * interval '1 millisecond'
       and seen_at > clock_timestamp() - interval '1 day'`,
    [id, inHand],
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
