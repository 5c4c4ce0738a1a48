import { DEAD_LETTER_REASONS, type DeadLetterReason } from '@waybill/contracts';

import type { Executor, Value } from '../executor.ts';
import { instantOf, integerOf, textOf, textOrNull } from '../row.ts';
import type { Store } from '../store.ts';
import { type ContractFilter, findContracts } from './contract-find.ts';
import { millis } from './record-columns.ts';

/** Which open dead letters. Everything that is given must hold. */
export interface DeadLetterFilter extends ContractFilter {
  readonly reason?: DeadLetterReason;
  /** Failed at this time or later, by the database's clock. */
  readonly failedAfter?: Date;
  /** Failed before this time. */
  readonly failedBefore?: Date;
  readonly recordKey?: string;
}

/** An open dead letter, as a bulk replay chooses it. */
export interface DeadLetterRow {
  readonly deadLetter: string;
  readonly seq: string;
  readonly message: string;
  readonly recordKey: string;
  readonly reason: string;
  readonly error: string;
  readonly attempt: number;
  readonly failedAt: Date;
}

const OPEN = `l.replayed_at is null and l.discarded_at is null and l.contract_id = any ($1::integer[]) and l.reason = any ($2::text[])
  and ($3::bigint is null or l.failed_at >= to_timestamp($3 / 1000.0)) and ($4::bigint is null or l.failed_at < to_timestamp($4 / 1000.0))`;

// By key through the key's messages; else contract by contract and reason by reason, each a range of one index in the order of seq.
const sourceText = (schema: string, keyed: boolean, tail: string): string =>
  keyed
    ? `${schema}.message k cross join lateral (
        select * from ${schema}.dead_letter l where l.seq = k.seq and ${OPEN} ${tail}) l where k.record_key = $5 and k.record_key <> ''`
    : `unnest($1::integer[]) c (id) cross join unnest($2::text[]) q (reason) cross join lateral (
        select * from ${schema}.dead_letter l where l.contract_id = c.id and l.reason = q.reason and ${OPEN} ${tail}) l where $5::text is null`;

const countText = (schema: string, keyed: boolean): string => `
select (select coalesce(max(id), 0) from ${schema}.dead_letter)::text as newest,
  (select count(*) from (select 1 from ${sourceText(schema, keyed, '')} limit $6::bigint + 1) n)::integer as count`;

/** How many open dead letters there are, up to `most`, and the newest dead letter at that moment. */
export async function countOpen(
  executor: Executor,
  store: Store,
  filter: DeadLetterFilter,
  most: number,
): Promise<{ readonly count: number; readonly capped: boolean; readonly newest: string }> {
  const values = await filterValues(executor, store, filter);
  const [row] = await executor.query(countText(store.quoted, filter.recordKey !== undefined), [...values, most]);
  if (row === undefined) throw new TypeError('a count answered without a row');
  const count = integerOf(row, 'count');
  return { count: Math.min(count, most), capped: count > most, newest: textOf(row, 'newest') };
}

const BATCH_TAIL = `and l.seq > $6::bigint and l.id <= $7::bigint order by l.seq limit $8::bigint`;

const batchText = (schema: string, keyed: boolean): string => `
select l.id::text as dead_letter, l.seq::text as seq, m.id::text as message, m.record_key, l.reason, l.error, l.attempt, ${millis('l.failed_at')} as failed_at
from (select l.* from ${sourceText(schema, keyed, BATCH_TAIL)}${keyed ? ' and k.seq > $6::bigint' : ''} order by l.seq limit $8::bigint) l
join ${schema}.message m on m.seq = l.seq
order by l.seq`;

/** The next open dead letters in the order in which their messages were written: those after `afterSeq`, none newer than `newest`. */
export async function nextOpen(
  executor: Executor,
  store: Store,
  filter: DeadLetterFilter,
  { afterSeq, newest, most }: { readonly afterSeq: string; readonly newest: string; readonly most: number },
): Promise<readonly DeadLetterRow[]> {
  const values = await filterValues(executor, store, filter);
  const rows = await executor.query(batchText(store.quoted, filter.recordKey !== undefined), [
    ...values,
    afterSeq,
    newest,
    most,
  ]);
  return rows.map((row) => ({
    deadLetter: textOf(row, 'dead_letter'),
    seq: textOf(row, 'seq'),
    message: textOf(row, 'message'),
    recordKey: textOrNull(row, 'record_key') ?? '',
    reason: textOf(row, 'reason'),
    error: textOf(row, 'error'),
    attempt: integerOf(row, 'attempt'),
    failedAt: instantOf(row, 'failed_at'),
  }));
}

async function filterValues(executor: Executor, store: Store, filter: DeadLetterFilter): Promise<readonly Value[]> {
  return [
    await findContracts(executor, store, filter),
    filter.reason === undefined ? DEAD_LETTER_REASONS : [filter.reason],
    filter.failedAfter?.getTime() ?? null,
    filter.failedBefore?.getTime() ?? null,
    filter.recordKey ?? null,
  ];
}
