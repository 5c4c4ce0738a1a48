import pg from 'pg';
import { newMessageId } from '../enqueue/new-id.ts';
import { StoreError } from '../errors.ts';
import { textOf } from '../row.ts';
import type { Store } from '../store.ts';

export interface HintOptions {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  /** Bounds the connection, and the wait for a notification of its own. Defaults to 5 s. */
  readonly connectTimeoutMs?: number;
}

/** A connection over which hints arrive. */
export interface Hints {
  /** Ends with the connection, whoever ended it. */
  readonly lost: Promise<void>;
  /** Gives the connection up. A second call changes nothing. */
  readonly close: () => Promise<void>;
}

/**
 * Listens for hints that a message was committed. A hint says where nothing else does that it is worth to claim at once; whoever gets none, since
 * a pooler keeps notifications back or the connection is half open, loses time and no message.
 *
 * Throws the driver's error when there is no connection, and `STO_NO_HINTS` where none would arrive: a pooler that lends a server connection for each
 * transaction takes LISTEN and delivers nothing, and no transaction gives a hint on a server that is set up for two-phase commits.
 */
export async function listenForHints(
  { quoted, database }: Pick<Store, 'quoted' | 'database'>,
  { url, applicationName = 'waybill', connectTimeoutMs = 5_000 }: HintOptions,
  onHint: () => void,
): Promise<Hints> {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: connectTimeoutMs,
    keepAlive: true,
  });
  const lost = new Promise<void>((resolve) => {
    // Without a listener a connection that breaks would end the process.
    client.on('error', () => resolve());
    client.on('end', () => resolve());
  });
  let ended: Promise<void> | undefined;
  const close = (): Promise<void> => (ended ??= client.end());
  try {
    await client.connect();
    const { rows } = await client.query<Readonly<Record<string, unknown>>>(
      `select ${quoted}.hint_channel() as channel, current_setting('max_prepared_transactions') as prepared`,
    );
    const channel = rows[0] === undefined ? '' : textOf(rows[0], 'channel');
    // A transaction that has given a hint cannot be prepared, so no enqueue gives any there.
    if (rows[0]?.['prepared'] !== '0')
      throw new StoreError('STO_NO_HINTS', 'enqueue gives no hints where max_prepared_transactions is not 0');
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    const word = newMessageId();
    await requireEcho(client, { word, withinMs: connectTimeoutMs }, () =>
      database.query('select pg_notify($1, $2)', [channel, word]),
    );
    // What it tells itself comes back once; whatever comes later is somebody's.
    client.on('notification', onHint);
    return { lost, close };
  } catch (error) {
    // The first error says more than one of these.
    await client.query('unlisten *').catch(() => undefined);
    await close().catch(() => undefined);
    throw error;
  }
}

/** The notification is given over another connection: a pooler hands on what comes back to the client that it serves just then. */
async function requireEcho(
  client: pg.Client,
  { word, withinMs }: { readonly word: string; readonly withinMs: number },
  call: () => Promise<unknown>,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const echo = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), withinMs);
    client.on('notification', ({ payload }) => {
      if (payload === word) resolve(true);
    });
  });
  try {
    await call();
    if (await echo) return;
  } finally {
    clearTimeout(timer);
  }
  throw new StoreError(
    'STO_NO_HINTS',
    'notifications do not arrive over this connection, as through a pooler that lends it by the transaction',
  );
}
