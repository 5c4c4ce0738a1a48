import type { Executor } from '../executor.ts';
import { instantOf, integerOf, textOf } from '../row.ts';
import type { Store } from '../store.ts';

/** A dispatcher that claims: seen within half a minute, and not about to leave. */
export interface LiveDispatcher {
  readonly id: string;
  readonly build: string;
  /** Since its last heartbeat, by the database's clock. */
  readonly seenMsAgo: number;
  readonly contractIds: readonly number[];
  /** What it has given up, as `type@version`: it turned out not to read it. */
  readonly unreadable: readonly string[];
}

/** The longest registered one first, which is a choice on which all agree and that newcomers do not change; with the time by the database's clock. */
export async function readLiveDispatchers(
  executor: Executor,
  store: Store,
): Promise<{ readonly now: Date; readonly dispatchers: readonly LiveDispatcher[] }> {
  // A row for the time in any case, and one more for each dispatcher.
  const [time, ...rows] = await executor.query(
    `select null as id, (extract(epoch from clock_timestamp()) * 1000)::bigint::text as now, null as build, null as seen_ms_ago, null as contract_ids, null as unreadable, null as started_at
     union all
     (select id::text, null, build, (extract(epoch from statement_timestamp() - seen_at) * 1000)::integer, array_to_string(capabilities, ','),
       coalesce((select string_agg(c.type || '@' || c.schema_version, ',' order by c.type, c.schema_version) from ${store.quoted}.contract c
         where c.id = any (d.unreadable)), ''), started_at
      from ${store.quoted}.dispatcher d where ${store.quoted}.vouches(d))
     order by started_at nulls first, id`,
  );
  if (time === undefined) throw new TypeError('the time was answered without a row');
  return {
    now: instantOf(time, 'now'),
    dispatchers: rows.map((row) => ({
      id: textOf(row, 'id'),
      build: textOf(row, 'build'),
      seenMsAgo: Math.max(0, integerOf(row, 'seen_ms_ago')),
      contractIds: textOf(row, 'contract_ids').split(',').filter(Boolean).map(Number),
      unreadable: textOf(row, 'unreadable').split(',').filter(Boolean),
    })),
  };
}
