import type postgres from 'postgres';

import { type CreateOnce, onceCreator } from '../create-once/create-once.ts';
import { newMessageId } from '../enqueue/new-id.ts';
import { createOutbox, type Outbox, type OutboxOptions } from '../enqueue/outbox.ts';
import type { Database } from '../executor.ts';
import { createInbox, type Inbox } from '../inbox/inbox.ts';
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
