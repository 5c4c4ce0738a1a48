import type { Executor } from '../executor.ts';
import { textOf, textOrNull } from '../row.ts';
import type { Store } from '../store.ts';

/** What is paused: a message type or a destination, never both. */
export type PauseSubject =
  | { readonly type: string; readonly destination?: undefined }
  | { readonly type?: undefined; readonly destination: string };

/** A pause as a claim reports it. */
export interface Pause {
  readonly type: string | null;
  readonly destination: string | null;
}

/** A pause as an operator reads it. */
export interface KeptPause extends Pause {
  readonly actor: string;
  readonly reason: string;
  readonly pausedAt: string;
}

/** Gives false when it was paused already. */
export async function insertPause(
  executor: Executor,
  store: Store,
  {
    type = null,
    destination = null,
    actor,
    reason,
  }: Partial<Pause> & { readonly actor: string; readonly reason: string },
): Promise<boolean> {
  const rows = await executor.query(
    `insert into ${store.quoted}.pause (type, destination, actor, reason) values ($1, $2, $3, $4) on conflict do nothing returning 'new' as word`,
    [type, destination, actor, reason],
  );
  return rows.length > 0;
}

/** Gives the pause that was ended; null when there was none. */
export async function deletePause(
  executor: Executor,
  store: Store,
  { type = null, destination = null }: Partial<Pause>,
): Promise<KeptPause | null> {
  const [row] = await executor.query(
    `delete from ${store.quoted}.pause where type is not distinct from $1 and destination is not distinct from $2 returning ${COLUMNS}`,
    [type, destination],
  );
  return row === undefined ? null : decode(row);
}

/** All pauses, the eldest first. */
export async function selectPauses(executor: Executor, store: Store): Promise<readonly KeptPause[]> {
  return (await executor.query(`select ${COLUMNS} from ${store.quoted}.pause order by id`)).map(decode);
}

const COLUMNS = `type, destination, actor, reason,
  to_char(paused_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as paused_at`;

function decode(row: Readonly<Record<string, unknown>>): KeptPause {
  return {
    type: textOrNull(row, 'type'),
    destination: textOrNull(row, 'destination'),
    actor: textOf(row, 'actor'),
    reason: textOf(row, 'reason'),
    pausedAt: textOf(row, 'paused_at'),
  };
}
