import type { Executor, Row } from '../executor.ts';
import { integerOf, textOf } from '../row.ts';
import type { Store } from '../store.ts';

/** A message whose record key was never written. */
export interface KeylessMessage {
  readonly seq: string;
  readonly type: string;
  readonly version: number;
  /** Where to go on in the same list. */
  readonly cursor: string;
  readonly payload: string;
}

/** Messages without a key that are on their way, or all of them. Both lists lie in an index of their own, which is empty as a rule. */
export type KeylessList = 'live' | 'all';

const SOURCES: Readonly<Record<KeylessList, (schema: string) => string>> = {
  live: (schema) =>
    `select position as cursor, seq from ${schema}.delivery where record_key is null and not settled and position > $1::bigint order by position limit $2::integer`,
  all: (schema) =>
    `select seq as cursor, seq from ${schema}.message where record_key is null and seq > $1::bigint order by seq limit $2::integer`,
};

/** One page of a list, after a cursor. */
export async function keylessMessages(
  executor: Executor,
  store: Store,
  { list, after, most }: { readonly list: KeylessList; readonly after: string; readonly most: number },
): Promise<readonly KeylessMessage[]> {
  const rows = await executor.query(
    `select k.cursor::text as cursor, m.seq::text as seq, c.type, c.schema_version, m.payload::text as payload
     from (${SOURCES[list](store.quoted)}) k
     join ${store.quoted}.message m on m.seq = k.seq join ${store.quoted}.contract c on c.id = m.contract_id
     order by k.cursor`,
    [after, most],
  );
  return rows.map(decode);
}

function decode(row: Row): KeylessMessage {
  return {
    cursor: textOf(row, 'cursor'),
    seq: textOf(row, 'seq'),
    type: textOf(row, 'type'),
    version: integerOf(row, 'schema_version'),
    payload: textOf(row, 'payload'),
  };
}

/** Fills keys in one transaction of its own. Gives the seqs that somebody held. Needs READ COMMITTED. */
export async function fillKeys(
  executor: Executor,
  store: Store,
  keys: readonly { readonly seq: string; readonly key: string }[],
): Promise<readonly string[]> {
  const [row] = await executor.query(
    `select array_to_string(${store.quoted}.backfill_keys($1::bigint[], $2::text[]), ',') as deferred`,
    [keys.map(({ seq }) => seq), keys.map(({ key }) => key)],
  );
  const deferred = row === undefined ? '' : textOf(row, 'deferred');
  return deferred === '' ? [] : deferred.split(',');
}
