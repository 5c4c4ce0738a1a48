import pg from 'pg';

import { type CreateOnce, onceCreator } from '../create-once/create-once.ts';
import { newMessageId } from '../enqueue/new-id.ts';
import { createOutbox, type Outbox, type OutboxOptions } from '../enqueue/outbox.ts';
import { StoreError } from '../errors.ts';
import type { Connection, Database } from '../executor.ts';
import { createInbox, type Inbox } from '../inbox/inbox.ts';
import { classifyStoreError } from '../sql-errors.ts';
import { type BestEffortOptions, beginText, type Committed, thenHooks } from '../transaction/after-commit.ts';
import { transaction as inTransaction } from '../transaction/transaction.ts';
import { executorOf, type PgTransaction, pgGate } from './pg-transaction.ts';

export { type HintOptions, type Hints, listenForHints } from './pg-hints.ts';
export type { PgTransaction } from './pg-transaction.ts';

/** Enqueue functions for pg. The exported `enqueue` and `enqueueMany` are those of the schema "waybill". */
export function outbox(options: OutboxOptions = {}): Outbox<PgTransaction> {
  return createOutbox(pgGate, newMessageId, options);
}

const standard = outbox();
/** {@inheritDoc Outbox.enqueue} */
export const enqueue: Outbox<PgTransaction>['enqueue'] = standard.enqueue;
/** {@inheritDoc Outbox.enqueueMany} */
export const enqueueMany: Outbox<PgTransaction>['enqueueMany'] = standard.enqueueMany;
/** {@inheritDoc Inbox} */
export const inbox: Inbox<PgTransaction> = createInbox(pgGate);
/** {@inheritDoc CreateOnce} */
export const createOnce: CreateOnce<PgTransaction> = onceCreator(pgGate);

/**
 * The best-effort path, for what may get lost and is repeated by an operator: runs `fn` in a transaction of its own and the `afterCommit` hooks once
 * COMMIT has succeeded, when the connection is back in the pool. Nothing records the hooks: a process that dies before them takes them along.
 * What must not get lost is enqueued.
 *
 * Throws `STO_NOT_A_POOL` for anything but a pool, the error of `fn`, the server's refusal of COMMIT, `STO_ROLLED_BACK` where `fn` caught the error of
 * a failed statement, and `STO_COMMIT_UNKNOWN` where the connection was lost at COMMIT. No hook runs in any of these cases.
 */
export async function transaction<T>(
  pool: pg.Pool,
  fn: (client: pg.PoolClient) => Promise<T>,
  { afterCommit, isolation }: BestEffortOptions<T> = {},
): Promise<Committed<T>> {
  if (!isPool(pool)) {
    throw new StoreError(
      'STO_NOT_A_POOL',
      'transaction: expected a pg pool; only who begins a transaction knows when it is committed',
    );
  }
  const committed = borrow(pool, (connection) =>
    inTransaction(connection, ({ native }) => fn(native), beginText(isolation)),
  );
  return thenHooks(committed, afterCommit);
}

// A client connects too, but counts no others. Untyped callers may pass anything.
function isPool(thing: unknown): boolean {
  return typeof thing === 'object' && thing !== null && typeof Reflect.get(thing, 'totalCount') === 'number';
}

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

/**
 * Longer than anything here rests between two statements: heartbeats, polls and samples would otherwise sign in anew each time, which costs both sides more
 * than the statement.
 */
const KEEP_IDLE_MS = 60_000;

/** Opens a pool of its own; `close` ends it. */
export function connectPg(options: PgConnectOptions): Database<pg.PoolClient> {
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'waybill',
    idleTimeoutMillis: KEEP_IDLE_MS,
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
    return await fn({ ...executorOf(client), native: client, commit: () => commitOf(client) });
  } catch (error) {
    if (spoilsConnection(error)) broken ??= toError(error);
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken ?? client.getTransactionStatus() !== 'I');
  }
}

async function commitOf(client: pg.PoolClient): Promise<'committed' | 'rolled-back'> {
  const { command } = await client.query('commit');
  return command === 'ROLLBACK' ? 'rolled-back' : 'committed';
}

// After a failover the pool's old connections lead to a server that only reads; a new one may lead to its successor.
const READ_ONLY = '25006';

// A statement that timed out on this side has left its answer on the wire: the next borrower would queue behind it. Other errors that the
// server itself has answered with leave the connection clean, and so does one of the callback's own.
function spoilsConnection(error: unknown): boolean {
  return error instanceof pg.DatabaseError ? error.code === READ_ONLY : classifyStoreError(error) === 'unavailable';
}

function ignoreIdleError(): void {
  // The pool has removed the connection; the next statement opens another one or reports why it cannot.
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
