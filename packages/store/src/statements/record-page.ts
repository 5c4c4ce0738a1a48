import type { OutboxStateName } from '@waybill/contracts';

import type { Executor } from '../executor.ts';
import { textOf, textOrNull } from '../row.ts';
import type { Store } from '../store.ts';
import { type ContractFilter, findContracts } from './contract-find.ts';
import { decodeSummary, type RecordSummary, SUMMARY_COLUMNS } from './record-columns.ts';
import { recordJoins } from './record-read.ts';

/** Which messages. Everything that is given must hold. */
export interface RecordFilter extends ContractFilter {
  readonly state?: OutboxStateName;
  readonly recordKey?: string;
  /** Enqueued at this time or later, by the database's clock. */
  readonly enqueuedAfter?: Date;
  /** Enqueued before this time. */
  readonly enqueuedBefore?: Date;
}

export interface PageRequest {
  readonly order: 'newest' | 'oldest';
  readonly limit: number;
  /** Rows of the index that one page may look at. */
  readonly budget: number;
  /** The last place that was seen; null at the start. */
  readonly after: string | null;
}

export interface PageRows {
  readonly records: readonly RecordSummary[];
  /** Where the next page starts; null when there is nothing more. */
  readonly next: string | null;
}

// The rows in which a state is looked for, each with a key of its own that grows: "place".
const SOURCES: Readonly<Record<OutboxStateName | 'any', (schema: string) => string>> = {
  any: (schema) => `select seq as place, seq, contract_id from ${schema}.message`,
  pending: (schema) => `select position as place, seq, contract_id from ${schema}.delivery where not settled`,
  processing: (schema) => `select position as place, seq, contract_id from ${schema}.delivery where not settled`,
  dispatched: (schema) => `select seq as place, seq, contract_id from ${schema}.dispatched`,
  'dead-letter': (schema) =>
    `select seq as place, seq, contract_id from ${schema}.dead_letter where replayed_at is null`,
};

function sourceOf(schema: string, { state, recordKey }: RecordFilter): string {
  if (recordKey === undefined) return SOURCES[state ?? 'any'](schema);
  return `select seq as place, seq, contract_id from ${schema}.message where record_key = $9::text and record_key <> ''`;
}

interface Range {
  readonly low: string;
  readonly high: string;
}

const EVERYTHING = { low: 0n, high: 9_223_372_036_854_775_807n };

// A minute more on either side: messages that are written at once may have numbers and times in different orders. A replayed message has a place
// far behind its seq, so only the lower bound holds for live rows.
const boundsText = (schema: string): string => `
select (case when $1::bigint is not null then coalesce(${schema}.seq_at(to_timestamp($1 / 1000.0) - interval '1 minute'), $3::bigint) end)::text as low,
  ${schema}.seq_at(to_timestamp($2::bigint / 1000.0) + interval '1 minute')::text as high`;

async function readRange(executor: Executor, store: Store, filter: RecordFilter, page: PageRequest): Promise<Range> {
  const { low, high } = await readTimeRange(executor, store, filter);
  const after = page.after === null ? null : BigInt(page.after);
  const behind = page.order === 'newest' && after !== null && after <= high ? after - 1n : high;
  const ahead = page.order === 'oldest' && after !== null && after >= low ? after + 1n : low;
  return { low: String(ahead), high: String(behind) };
}

async function readTimeRange(executor: Executor, store: Store, filter: RecordFilter): Promise<typeof EVERYTHING> {
  const { enqueuedAfter, enqueuedBefore } = filter;
  if (enqueuedAfter === undefined && enqueuedBefore === undefined) return EVERYTHING;
  const times = [enqueuedAfter?.getTime() ?? null, enqueuedBefore?.getTime() ?? null];
  const [row] = await executor.query(boundsText(store.quoted), [...times, String(EVERYTHING.high)]);
  if (row === undefined) throw new TypeError('bounds answered without a row');
  const live = filter.recordKey === undefined && (filter.state === 'pending' || filter.state === 'processing');
  return {
    low: BigInt(textOrNull(row, 'low') ?? EVERYTHING.low),
    high: live ? EVERYTHING.high : BigInt(textOrNull(row, 'high') ?? EVERYTHING.high),
  };
}

// A state that is rare in its source must not make a page walk all of it: a page looks at "budget" places and leaves the rest to the next one.
function pageText(schema: string, filter: RecordFilter, order: PageRequest['order']): string {
  const direction = order === 'newest' ? 'desc' : 'asc';
  const source = sourceOf(schema, filter);
  const range =
    order === 'newest'
      ? `k.place between coalesce(scan.reached, $1::bigint) and $2::bigint`
      : `k.place between $1::bigint and coalesce(scan.reached, $2::bigint)`;
  return `
select scan.reached::text as reached, p.*
from (select (
  select k.place from (${source}) k where k.place between $1::bigint and $2::bigint order by k.place ${direction} offset $3::bigint - 1 limit 1) as reached) scan
left join lateral (
  select k.place::text as place, ${SUMMARY_COLUMNS}
  from (${source}) k join ${schema}.message m on m.seq = k.seq ${recordJoins(schema)}
  where ${range} and k.contract_id = any ($4::integer[]) and ($5::text is null or r.state = $5)
    and ($6::bigint is null or m.enqueued_at >= to_timestamp($6 / 1000.0)) and ($7::bigint is null or m.enqueued_at < to_timestamp($7 / 1000.0))
  order by k.place ${direction} limit $8::bigint) p on true`;
}

/** One page, in the order in which messages were written. May be short, or empty, and still have a next one. */
export async function readPage(
  executor: Executor,
  store: Store,
  filter: RecordFilter,
  request: PageRequest,
): Promise<PageRows> {
  const { low, high } = await readRange(executor, store, filter, request);
  const rows = await executor.query(pageText(store.quoted, filter, request.order), [
    low,
    high,
    request.budget,
    await findContracts(executor, store, filter),
    filter.state ?? null,
    filter.enqueuedAfter?.getTime() ?? null,
    filter.enqueuedBefore?.getTime() ?? null,
    request.limit,
    ...(filter.recordKey === undefined ? [] : [filter.recordKey]),
  ]);
  const found = rows.filter((row) => textOrNull(row, 'place') !== null);
  const [first] = rows;
  const last = found.at(-1);
  if (found.length === request.limit && last !== undefined)
    return { records: found.map(decodeSummary), next: textOf(last, 'place') };
  return { records: found.map(decodeSummary), next: first === undefined ? null : textOrNull(first, 'reached') };
}
