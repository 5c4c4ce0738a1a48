import type { Executor } from '../executor.ts';
import type { Failure } from '../operators/audit.ts';
import { instantOf, integerOf, textOf, textOrNull } from '../row.ts';
import type { Store } from '../store.ts';
import { millis } from './record-columns.ts';

export interface PurgeStep {
  readonly olderThanMs: number;
  /** Where the step before has ended. */
  readonly afterSeq: string;
  /** Rows to look at. */
  readonly most: number;
}

// Nothing that was written after the cut can have ended before it. A sub-select, so that the cut is looked for once and not for every row.
const UP_TO_CUT = (schema: string): string =>
  `(select coalesce(${schema}.seq_at(clock_timestamp() - $1::bigint * interval '1 millisecond'), 9223372036854775807))`;

// A dispatched message is final; that nothing of it is live or dead is checked all the same, since what is deleted is gone.
const dispatchedText = (schema: string): string => `
with looked as materialized (
  select d.seq, d.position, d.dispatched_at from ${schema}.dispatched d
  where d.seq > $2::bigint and d.seq <= ${UP_TO_CUT(schema)} order by d.seq limit $3::bigint),
old as materialized (
  select d.seq, d.position from looked o, lateral (
    select * from ${schema}.dispatched d where d.seq = o.seq and d.position = o.position for update skip locked) d
  where o.dispatched_at < clock_timestamp() - $1::bigint * interval '1 millisecond'
    and not exists (select 1 from ${schema}.delivery v where v.position = d.position and not v.settled)
    and not exists (select 1 from ${schema}.dead_letter l where l.seq = d.seq and l.replayed_at is null)),
gone as (delete from ${schema}.dispatched d using old o where d.seq = o.seq and d.position = o.position returning d.seq),
letters as (delete from ${schema}.dead_letter l using gone g where l.seq = g.seq),
unread as (delete from ${schema}.unreadable u using gone g where u.seq = g.seq),
messages as (delete from ${schema}.message m using gone g where m.seq = g.seq)
select (select max(seq) from looked)::text as last_seq, (select count(*) from gone)::integer as purged`;

/** Deletes the dispatched messages among the next `most`, with their history. `lastSeq` is null at the end. */
export async function purgeDispatched(
  executor: Executor,
  store: Store,
  { olderThanMs, afterSeq, most }: PurgeStep,
): Promise<{ readonly purged: number; readonly lastSeq: string | null }> {
  const [row] = await executor.query(dispatchedText(store.quoted), [olderThanMs, afterSeq, most]);
  if (row === undefined) throw new TypeError('a purge answered without a row');
  return { purged: integerOf(row, 'purged'), lastSeq: textOrNull(row, 'last_seq') };
}

// A dead letter that holds its key stays: the key would wait for nobody.
const deadText = (schema: string): string => `
with looked as materialized (
  select l.id, l.seq, l.position from ${schema}.dead_letter l
  where l.replayed_at is null and l.seq > $2::bigint and l.seq <= ${UP_TO_CUT(schema)} order by l.seq limit $3::bigint),
old as materialized (
  select l.* from looked o, lateral (
    select * from ${schema}.dead_letter l
    where l.id = o.id and l.replayed_at is null and (l.discarded_at is not null or $4::boolean)
      and coalesce(l.discarded_at, l.failed_at) < clock_timestamp() - $1::bigint * interval '1 millisecond' for update skip locked) l
  where not exists (select 1 from ${schema}.delivery v where v.position = l.position)),
unread as (delete from ${schema}.unreadable u using old o where u.seq = o.seq),
messages as (delete from ${schema}.message m using old o where m.seq = o.seq returning m.seq, m.id),
letters as (delete from ${schema}.dead_letter l using old o where l.seq = o.seq)
select (select max(seq) from looked)::text as last_seq, o.id::text as dead_letter, m.id::text as message, o.reason, o.error, o.attempt,
  ${millis('o.failed_at')} as failed_at
from (select 1) one left join (old o join messages m on m.seq = o.seq) on true`;

/** Deletes the dead messages among the next `most`: discarded ones, and open ones too where `open` is set. */
export async function purgeDead(
  executor: Executor,
  store: Store,
  { olderThanMs, afterSeq, most, open }: PurgeStep & { readonly open: boolean },
): Promise<{ readonly purged: readonly Failure[]; readonly lastSeq: string | null }> {
  const rows = await executor.query(deadText(store.quoted), [olderThanMs, afterSeq, most, open]);
  const purged = rows
    .filter((row) => textOrNull(row, 'dead_letter') !== null)
    .map((row) => ({
      deadLetter: textOf(row, 'dead_letter'),
      message: textOf(row, 'message'),
      reason: textOf(row, 'reason'),
      error: textOf(row, 'error'),
      attempt: integerOf(row, 'attempt'),
      failedAt: instantOf(row, 'failed_at').toISOString(),
    }));
  const [first] = rows;
  return { purged, lastSeq: first === undefined ? null : textOrNull(first, 'last_seq') };
}
