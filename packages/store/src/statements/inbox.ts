import type { Executor } from '../executor.ts';
import { integerOf, textOf } from '../row.ts';
import type { Store } from '../store.ts';
import type { OpenTransaction } from '../transaction-gate.ts';

/** Whether a consumer meets a message for the first time. */
export type InboxAnswer = 'first' | 'repeat';

export interface InboxEntry {
  readonly consumer: string;
  readonly messageId: string;
}

/** Enters the message, or finds it there. Waits for a transaction that is entering it. */
export async function enterInbox(
  { executor, transactionId }: OpenTransaction,
  schema: string,
  { consumer, messageId }: InboxEntry,
): Promise<InboxAnswer> {
  const [row] = await executor.query(`select ${schema}.inbox($1::text, $2::text, $3::text) as answer`, [
    consumer,
    messageId,
    transactionId,
  ]);
  if (row === undefined) throw new TypeError('the inbox answered without a row');
  return textOf(row, 'answer') === 'first' ? 'first' : 'repeat';
}

/** Deletes up to `most` of the oldest entries that are older than `olderThanMs`. Gives how many. */
export async function purgeInboxStep(
  executor: Executor,
  store: Store,
  { olderThanMs, most }: { readonly olderThanMs: number; readonly most: number },
): Promise<number> {
  // The moment is a sub-select, so that the index is entered at it. Entries that another purge holds are its business.
  const [row] = await executor.query(
    `with old as materialized (
       select ctid from ${store.quoted}.inbox
       where seen_at < (select clock_timestamp() - $1::bigint * interval '1 millisecond') order by seen_at limit $2::integer for update skip locked),
     gone as (delete from ${store.quoted}.inbox i using old o where i.ctid = o.ctid returning 1)
     select count(*)::integer as purged from gone`,
    [olderThanMs, most],
  );
  if (row === undefined) throw new TypeError('a purge of the inbox answered without a row');
  return integerOf(row, 'purged');
}
