import type { Executor } from '../executor.ts';
import { integerOf, textOf } from '../row.ts';
import type { Store } from '../store.ts';

/** A dispatcher that claims: seen within half a minute, and not about to leave. */
export interface LiveDispatcher {
  readonly id: string;
  readonly build: string;
  /** Since its last heartbeat, by the database's clock. */
  readonly seenMsAgo: number;
  readonly contractIds: readonly number[];
}

/** In the order of their ids, so that the first one is a choice on which all agree. */
export async function readLiveDispatchers(executor: Executor, store: Store): Promise<readonly LiveDispatcher[]> {
  const rows = await executor.query(
    `select id::text as id, build, (extract(epoch from statement_timestamp() - seen_at) * 1000)::integer as seen_ms_ago,
       array_to_string(capabilities, ',') as contract_ids
     from ${store.quoted}.dispatcher
     where left_at is null and not draining and seen_at > statement_timestamp() - interval '30 seconds' order by id`,
  );
  return rows.map((row) => ({
    id: textOf(row, 'id'),
    build: textOf(row, 'build'),
    seenMsAgo: Math.max(0, integerOf(row, 'seen_ms_ago')),
    contractIds: textOf(row, 'contract_ids').split(',').filter(Boolean).map(Number),
  }));
}
