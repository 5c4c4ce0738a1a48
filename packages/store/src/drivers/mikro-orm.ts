import { type CreateOnce, onceCreator } from '../create-once/create-once.ts';
import { newMessageId } from '../enqueue/new-id.ts';
import { createOutbox, type Outbox, type OutboxOptions } from '../enqueue/outbox.ts';
import { createInbox, type Inbox } from '../inbox/inbox.ts';
import { notInTransaction, type TransactionGate } from '../transaction-gate.ts';
import { knexGate } from './knex-transaction.ts';
import { kyselyGate } from './kysely-transaction.ts';

/** What `enqueue` takes: the entity manager that `em.transactional(...)` hands to its callback, or one between `begin` and its end. */
export interface MikroOrmTransaction {
  isInTransaction(): boolean;
  getTransactionContext(): object | undefined;
}

// MikroORM 6 runs on Knex, MikroORM 7 on Kysely. Its own `execute` would write the values into the text of the statement.
const gate: TransactionGate<MikroOrmTransaction> = {
  async within(em, fn) {
    const context = isEntityManager(em) ? em.getTransactionContext() : undefined;
    if (context === undefined) {
      throw notInTransaction('expected the entity manager of em.transactional(), got one without a transaction');
    }
    return (typeof context === 'function' ? knexGate : kyselyGate).within(context, fn);
  },
};

function isEntityManager(thing: unknown): thing is MikroOrmTransaction {
  return (
    typeof thing === 'object' && thing !== null && typeof Reflect.get(thing, 'getTransactionContext') === 'function'
  );
}

/** Enqueue functions for MikroORM. The exported `enqueue` and `enqueueMany` are those of the schema "waybill". */
export function outbox(options: OutboxOptions = {}): Outbox<MikroOrmTransaction> {
  return createOutbox(gate, newMessageId, options);
}

const standard = outbox();
/** {@inheritDoc Outbox.enqueue} */
export const enqueue: Outbox<MikroOrmTransaction>['enqueue'] = standard.enqueue;
/** {@inheritDoc Outbox.enqueueMany} */
export const enqueueMany: Outbox<MikroOrmTransaction>['enqueueMany'] = standard.enqueueMany;
/** {@inheritDoc Inbox} */
export const inbox: Inbox<MikroOrmTransaction> = createInbox(gate);
/** {@inheritDoc CreateOnce} */
export const createOnce: CreateOnce<MikroOrmTransaction> = onceCreator(gate);
