import type { Executor } from '../executor.ts';
import { instantOf, integerOf, textOf } from '../row.ts';
import type { Store } from '../store.ts';

/** A service that is running and knows an older generation of the tables only. */
export interface WriterBehind {
  readonly id: number;
  readonly build: string;
  readonly generation: number;
  readonly seenAt: Date;
}

/** Messages of one contract that were written without a key although the tables have one. */
export interface KeylessWrites {
  readonly type: string;
  readonly version: number;
  readonly count: number;
  readonly newestAt: Date;
}

/** Writers that have shown themselves within `liveMs` and are of an older generation than `generation`. */
export async function liveWritersBefore(
  executor: Executor,
  store: Store,
  { generation, liveMs }: { readonly generation: number; readonly liveMs: number },
): Promise<readonly WriterBehind[]> {
  const rows = await executor.query(
    `select id, build, generation, (extract(epoch from seen_at) * 1000)::text as seen_at from ${store.quoted}.writer
     where generation < $1::integer and left_at is null and seen_at > clock_timestamp() - $2::bigint * interval '1 millisecond' order by id`,
    [generation, liveMs],
  );
  return rows.map((row) => ({
    id: integerOf(row, 'id'),
    build: textOf(row, 'build'),
    generation: integerOf(row, 'generation'),
    seenAt: instantOf(row, 'seen_at'),
  }));
}

/** What was written without a key since the step that added keys, of the newest `most` messages without one. */
export async function keylessSince(
  executor: Executor,
  store: Store,
  { step, most }: { readonly step: number; readonly most: number },
): Promise<readonly KeylessWrites[]> {
  const rows = await executor.query(
    `select c.type, c.schema_version, count(*)::integer as count, (extract(epoch from max(k.enqueued_at)) * 1000)::text as newest_at
     from (select contract_id, enqueued_at from ${store.quoted}.message where record_key is null order by seq desc limit $2::integer) k
     join ${store.quoted}.contract c on c.id = k.contract_id
     where k.enqueued_at > (select applied_at from ${store.quoted}.migration where number = $1::integer)
     group by c.type, c.schema_version order by c.type, c.schema_version`,
    [step, most],
  );
  return rows.map((row) => ({
    type: textOf(row, 'type'),
    version: integerOf(row, 'schema_version'),
    count: integerOf(row, 'count'),
    newestAt: instantOf(row, 'newest_at'),
  }));
}
