import type { Executor } from '../executor.ts';
import { integerOf } from '../row.ts';
import type { Store } from '../store.ts';

/** How the attempts at messages that ended lately went. */
export interface RecentAttempts {
  readonly accepted: number;
  readonly attempts: number;
}

// History is kept in the order of writing, so the newest messages stand for the latest ends.
const text = (schema: string): string => `
with done as materialized (
  select attempt, dispatched_at > statement_timestamp() - $2::bigint * interval '1 millisecond' as recent
  from ${schema}.dispatched order by seq desc, position desc limit $1::bigint),
dead as materialized (
  select attempt, failed_at > statement_timestamp() - $2::bigint * interval '1 millisecond' as recent
  from ${schema}.dead_letter order by id desc limit $1::bigint)
select (select count(*) filter (where recent)::integer from done) as accepted,
  ((select coalesce(sum(attempt) filter (where recent), 0) from done)
   + (select coalesce(sum(attempt) filter (where recent), 0) from dead))::integer as attempts`;

/** Looks at the newest `most` dispatched messages and as many dead letters; those that ended within the window count. */
export async function readRecentAttempts(
  executor: Executor,
  store: Store,
  { most, windowMs }: { readonly most: number; readonly windowMs: number },
): Promise<RecentAttempts> {
  const [row] = await executor.query(text(store.quoted), [most, windowMs]);
  if (row === undefined) throw new TypeError('a sum answered without a row');
  return { accepted: integerOf(row, 'accepted'), attempts: integerOf(row, 'attempts') };
}
