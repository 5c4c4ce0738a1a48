import type postgres from 'postgres';

import { type CreateOnce, onceCreator } from '../create-once/create-once.ts';
import { newMessageId } from '../enqueue/new-id.ts';
import { createOutbox, type Outbox, type OutboxOptions } from '../enqueue/outbox.ts';
import { StoreError } from '../errors.ts';
import type { Database } from '../executor.ts';
import { createInbox, type Inbox } from '../inbox/inbox.ts';
import { classifyStoreError } from '../sql-errors.ts';
import { type BestEffortOptions, type Committed, thenHooks } from '../transaction/after-commit.ts';
import { commitUnknown, isRefusal } from '../transaction/commit.ts';
import { takeTransactionId } from '../transaction-gate.ts';
import { executorOf, type PostgresTransaction, postgresGate } from './postgres-transaction.ts';

export type { PostgresTransaction } from './postgres-transaction.ts';

/** Enqueue functions for postgres. The exported `enqueue` and `enqueueMany` are those of the schema "waybill". */
export function outbox(options: OutboxOptions = {}): Outbox<PostgresTransaction> {
  return createOutbox(postgresGate, newMessageId, options);
}

const standard = outbox();
/** {@inheritDoc Outbox.enqueue} */
export const enqueue: Outbox<PostgresTransaction>['enqueue'] = standard.enqueue;
/** {@inheritDoc Outbox.enqueueMany} */
export const enqueueMany: Outbox<PostgresTransaction>['enqueueMany'] = standard.enqueueMany;
/** {@inheritDoc Inbox} */
export const inbox: Inbox<PostgresTransaction> = createInbox(postgresGate);
/** {@inheritDoc CreateOnce} */
export const createOnce: CreateOnce<PostgresTransaction> = onceCreator(postgresGate);

/**
 * The best-effort path of `@waybill/store/pg` for `sql`: runs `fn` in a transaction of its own and the `afterCommit` hooks once COMMIT has succeeded.
 *
 * It is the safer `sql.begin` too: it takes the id of the transaction right after BEGIN, so that a `tx` that is kept beyond its transaction is refused
 * by `enqueue` even where its first use falls into another transaction on the same connection.
 *
 * Throws `STO_NOT_A_POOL` for anything but `sql`, the error of `fn` or of a statement of its, the server's refusal of COMMIT, and
 * `STO_COMMIT_UNKNOWN` where the connection was lost at COMMIT. No hook runs in any of these cases.
 */
export async function transaction<T>(
  sql: postgres.Sql,
  fn: (tx: PostgresTransaction) => Promise<T>,
  { afterCommit, isolation }: BestEffortOptions<T> = {},
): Promise<Committed<T>> {
  if (!isPool(sql)) {
    throw new StoreError(
      'STO_NOT_A_POOL',
      'transaction: expected sql; only who begins a transaction knows when it is committed',
    );
  }
  return thenHooks(begin(sql, fn, isolation === undefined ? '' : `isolation level ${isolation}`), afterCommit);
}

async function begin<T>(sql: postgres.Sql, fn: (tx: PostgresTransaction) => Promise<T>, options: string): Promise<T> {
  const results: T[] = [];
  const work = async (tx: PostgresTransaction): Promise<void> => {
    await takeTransactionId(tx, executorOf(tx));
    results.push(await fn(tx));
  };
  await sql.begin(options, work).catch((error: unknown) => {
    const atCommit = results.length > 0 && classifyStoreError(error) === 'unavailable' && !isRefusal(error);
    throw atCommit ? commitUnknown(error) : error;
  });
  const [result] = results as [T]; // the driver commits only after the work is done
  return result;
}

// Neither a transaction nor a reserved connection can begin one. Untyped callers may pass anything.
function isPool(thing: unknown): boolean {
  return typeof thing === 'function' && typeof Reflect.get(thing, 'begin') === 'function';
}

/** Uses the caller's `sql`, which `close` leaves open. */
export function postgresDatabase(sql: postgres.Sql): Database<postgres.ReservedSql> {
  return {
    ...executorOf(sql),
    async connection(fn) {
      const reserved = await sql.reserve();
      try {
        return await fn({ ...executorOf(reserved), native: reserved, commit: () => commitOf(reserved) });
      } finally {
        reserved.release();
      }
    },
    close: () => Promise.resolve(),
  };
}

async function commitOf(sql: postgres.ReservedSql): Promise<'committed' | 'rolled-back'> {
  const { command } = await sql.unsafe('commit');
  return command === 'ROLLBACK' ? 'rolled-back' : 'committed';
}
