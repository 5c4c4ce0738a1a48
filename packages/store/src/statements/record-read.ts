import type { Executor, Row } from '../executor.ts';
import { isMessageId } from '../operators/message-id.ts';
import { textOf } from '../row.ts';
import type { Store } from '../store.ts';
import { decodeSummary, type RecordSummary, SUMMARY_COLUMNS } from './record-columns.ts';

/** One message as an operator's action needs it. */
export interface Subject extends RecordSummary {
  readonly seq: string;
}

/** For a statement whose messages are `m`: their view and their current dead letter. */
export const recordJoins = (schema: string): string => `
  join ${schema}.record r on r.id = m.id
  left join ${schema}.dead_letter l on l.seq = m.seq and l.replayed_at is null`;

const text = (schema: string, columns: string): string =>
  `select m.seq::text as seq, ${columns} from ${schema}.message m ${recordJoins(schema)} where m.id = $1::uuid`;

/** The message with this id and where it stands, or null. */
export async function readSubject(executor: Executor, store: Store, id: string): Promise<Subject | null> {
  const row = await readRow(executor, store, id, SUMMARY_COLUMNS);
  return row === null ? null : { ...decodeSummary(row), seq: textOf(row, 'seq') };
}

/** The same with the texts of payload and headers. */
export async function readWhole(
  executor: Executor,
  store: Store,
  id: string,
): Promise<(Subject & { readonly payload: string; readonly headers: string }) | null> {
  const columns = `${SUMMARY_COLUMNS}, m.payload::text as payload, coalesce(m.headers::text, '{}') as headers`;
  const row = await readRow(executor, store, id, columns);
  if (row === null) return null;
  return {
    ...decodeSummary(row),
    seq: textOf(row, 'seq'),
    payload: textOf(row, 'payload'),
    headers: textOf(row, 'headers'),
  };
}

async function readRow(executor: Executor, store: Store, id: string, columns: string): Promise<Row | null> {
  if (!isMessageId(id)) return null;
  const [row] = await executor.query(text(store.quoted, columns), [id]);
  return row ?? null;
}
