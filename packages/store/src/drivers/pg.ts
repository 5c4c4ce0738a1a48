import pg from 'pg';

import { newMessageId } from '../enqueue/new-id.ts';
import { createOutbox, type Outbox, type OutboxOptions, type TransactionGate } from '../enqueue/outbox.ts';
import { StoreError } from '../errors.ts';
import type { Connection, Database, Executor, Row, Value } from '../executor.ts';
import { createInbox, type Inbox } from '../inbox/inbox.ts';
import { classifyStoreError } from '../sql-errors.ts';
import { setTransactionToken } from '../statements/enqueue.ts';

/** What `enqueue` takes: a client that was checked out of a pool, or stands alone. Not a pool: each statement of a pool may run elsewhere. */
export type PgTransaction = pg.ClientBase;

const gate: TransactionGate<PgTransaction> = {
  enter(client) {
    const status = isClient(client) ? client.getTransactionStatus() : 'none';
    if (status === 'T') return isIdle(client) ? { executor: executorOf(client), token: null } : provenLater(client);
    throw new StoreError(
      'STO_NOT_IN_TRANSACTION',
      `expected a pg client between BEGIN and COMMIT, got ${FOUND[status ?? 'none']}`,
    );
  },
};

// The status is that of the last answer. A client that is busy may have a COMMIT in its queue, so there the statement proves itself: a setting
// that is local to the transaction is made just before it, and it refuses itself where that setting is gone.
function provenLater(client: PgTransaction): ReturnType<TransactionGate<PgTransaction>['enter']> {
  const executor = executorOf(client);
  const token = newMessageId();
  return {
    token,
    executor: {
      async query(text, values) {
        const [, rows] = await Promise.all([setTransactionToken(executor, token), executor.query(text, values)]);
        return rows;
      },
    },
  };
}

// A pool has no status of its own, and untyped callers may pass anything.
function isClient(thing: unknown): thing is PgTransaction {
  return (
    typeof thing === 'object' && thing !== null && typeof Reflect.get(thing, 'getTransactionStatus') === 'function'
  );
}

// Not in the types, and absent from native clients, which then always prove themselves.
function isIdle(client: PgTransaction): boolean {
  return Reflect.get(client, 'readyForQuery') === true;
}

const FOUND = {
  I: 'a client outside any transaction',
  E: 'a client whose transaction has failed already',
  none: 'something that has no transaction of its own (a pool, or a client that is not connected)',
} as const;

/** Enqueue functions for pg. The exported `enqueue` and `enqueueMany` are those of the schema "waybill". */
export function outbox(options: OutboxOptions = {}): Outbox<PgTransaction> {
  return createOutbox(gate, newMessageId, options);
}

const standard = outbox();
/** {@inheritDoc Outbox.enqueue} */
export const enqueue: Outbox<PgTransaction>['enqueue'] = standard.enqueue;
/** {@inheritDoc Outbox.enqueueMany} */
export const enqueueMany: Outbox<PgTransaction>['enqueueMany'] = standard.enqueueMany;
/** {@inheritDoc Inbox} */
export const inbox: Inbox<PgTransaction> = createInbox(gate);

export interface PgConnectOptions {
  readonly url: string;
  /** Connections at most. Defaults to 10. */
  readonly max?: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  /** Bounds the wait for a connection. Defaults to 5 s. */
  readonly connectTimeoutMs?: number;
  /** Bounds every statement on both sides, so that a connection whose packets vanish does not hang for ever. Defaults to 30 s. */
  readonly statementTimeoutMs?: number;
  /** Told of errors of idle connections, which the pool has replaced already. */
  readonly onIdleError?: (error: Error) => void;
}

/** Opens a pool of its own; `close` ends it. */
export function connectPg(options: PgConnectOptions): Database<pg.PoolClient> {
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'waybill',
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    statement_timeout: statementTimeoutMs,
    // A little later than the server's own limit, so that the server's clear error comes first where it still answers.
    query_timeout: statementTimeoutMs + 1_000,
    keepAlive: true,
  });
  const database = pgDatabase(pool, options.onIdleError);
  let ended: Promise<void> | undefined;
  return { ...database, close: () => (ended ??= pool.end()) };
}

/** Uses the caller's pool, which `close` leaves open. */
export function pgDatabase(
  pool: pg.Pool,
  onIdleError: (error: Error) => void = ignoreIdleError,
): Database<pg.PoolClient> {
  // Without a listener a dropped idle connection would end the process.
  pool.on('error', onIdleError);
  return {
    ...executorOf(pool),
    connection: (fn) => borrow(pool, fn),
    close: () => {
      pool.off('error', onIdleError);
      return Promise.resolve();
    },
  };
}

async function borrow<T>(pool: pg.Pool, fn: (connection: Connection<pg.PoolClient>) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error): void => {
    broken = error;
  };
  // While it is checked out the pool does not listen for it; the statement under way reports the same error to its caller.
  client.on('error', onError);
  try {
    return await fn({ ...executorOf(client), native: client });
  } catch (error) {
    if (spoilsConnection(error)) broken ??= toError(error);
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken ?? client.getTransactionStatus() !== 'I');
  }
}

// After a failover the pool's old connections lead to a server that only reads; a new one may lead to its successor.
const READ_ONLY = '25006';

// A statement that timed out on this side has left its answer on the wire: the next borrower would queue behind it. Other errors that the
// server itself has answered with leave the connection clean, and so does one of the callback's own.
function spoilsConnection(error: unknown): boolean {
  return error instanceof pg.DatabaseError ? error.code === READ_ONLY : classifyStoreError(error) === 'unavailable';
}

function executorOf(client: pg.ClientBase | pg.Pool): Executor {
  return {
    async query(text: string, values?: readonly Value[]): Promise<readonly Row[]> {
      const result = await (values === undefined ? client.query<Row>(text) : client.query<Row>(text, [...values]));
      return result.rows;
    },
  };
}

function ignoreIdleError(): void {
  // The pool has removed the connection; the next statement opens another one or reports why it cannot.
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
