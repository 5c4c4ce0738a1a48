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
  /** Contracts that this process has given up before, since it turned out not to read them. */
  readonly unreadableIds?: readonly number[];
  /** Where it takes which type: type -> destination. */
  readonly routing?: Readonly<Record<string, string>>;
  /** How long its leases last; 30 s unless given. */
  readonly leaseMs?: number;
  /** How often it shows that it lives, in milliseconds, up to five minutes: how long silence is put up with follows from it. Defaults to 10 s. */
  readonly heartbeatMs?: number;
  /** The version of a type that its target or handler gets, where that is not the stored one. */
  readonly handsOver?: Readonly<Record<string, number>>;
  /** What it may write itself, as in its manifest. */
  readonly writers?: Readonly<Record<string, readonly number[]>>;
}

const DEFAULT_HEARTBEAT_MS = 10_000;

/** Enters a dispatcher in the registry. From now on its contracts have a reader. */
export async function registerDispatcher(
  store: Store,
  entry: DispatcherEntry,
  executor: Executor = store.database,
): Promise<void> {
  await executor.query(
    `insert into ${store.quoted}.dispatcher (id, build, capabilities, lease_ms, routing, heartbeat_ms, hands_over, writers, unreadable)
     values ($1::uuid, $2, $3::integer[], coalesce($4::bigint, 30000), $5::text::jsonb, $6::integer, $7::text::jsonb, $8::text::jsonb, $9::integer[])`,
    [
      entry.id,
      entry.build,
      entry.contractIds,
      entry.leaseMs ?? null,
      JSON.stringify(entry.routing ?? {}),
      entry.heartbeatMs ?? DEFAULT_HEARTBEAT_MS,
      JSON.stringify(entry.handsOver ?? {}),
      JSON.stringify(entry.writers ?? {}),
      entry.unreadableIds ?? [],
    ],
  );
}

/**
 * Heartbeat. `inHand`: the positions that are in a handler now. A gap between two heartbeats that is longer than a dispatcher may be silent
 * ends its steady time: it cannot tell whether the store was there meanwhile.
 *
 * Gives the dispatchers that have gone silent without signing off, so that a claimer can look for what they held, whether this dispatcher
 * is still in the registry, and whether an operator wants it to drain.
 */
export async function seeDispatcher(
  store: Store,
  { id, inHand = [] }: { readonly id: string; readonly inHand?: readonly string[] },
  executor: Executor = store.database,
): Promise<{ readonly registered: boolean; readonly silent: readonly string[]; readonly drainAsked: boolean }> {
  const rows = await executor.query(
    `with seen as (
       update ${store.quoted}.dispatcher
       set seen_at = clock_timestamp(), in_hand = $2::bigint[],
         steady_since = case when seen_at < clock_timestamp() - ${store.quoted}.silence(dispatcher) then clock_timestamp() else steady_since end
       where id = $1::uuid returning id, drain_asked_at)
     select id::text as id, case when drain_asked_at is null then 'no' else 'yes' end as asked from seen
     union all
     select id::text, 'no' from ${store.quoted}.dispatcher d
     where left_at is null and id <> $1::uuid and seen_at < clock_timestamp() - ${store.quoted}.silence(d)
       and seen_at > clock_timestamp() - interval '1 day'`,
    [id, inHand],
  );
  const ids = rows.map((row) => textOf(row, 'id'));
  return {
    registered: ids.includes(id),
    silent: ids.filter((other) => other !== id),
    drainAsked: rows.some((row) => textOf(row, 'asked') === 'yes'),
  };
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

/** Says whether a dispatcher wants a hint for each message: only while it has little to do, since every hint takes a lock at the producer's commit. */
export async function wantHints(
  store: Store,
  { id, wanted }: { readonly id: string; readonly wanted: boolean },
  executor: Executor = store.database,
): Promise<void> {
  await executor.query(
    `update ${store.quoted}.dispatcher set wants_hints = $2 where id = $1::uuid and wants_hints <> $2`,
    [id, wanted],
  );
}
