import { type CreateOnce, onceCreator } from '../create-once/create-once.ts';
import { newMessageId } from '../enqueue/new-id.ts';
import { createOutbox, type Outbox, type OutboxOptions } from '../enqueue/outbox.ts';
import { createInbox, type Inbox } from '../inbox/inbox.ts';
import { notInTransaction, type TransactionGate } from '../transaction-gate.ts';
import { pgGate } from './pg-transaction.ts';
import { postgresGate } from './postgres-transaction.ts';

/** What `enqueue` takes: what `db.transaction(...)` hands to its callback, over node-postgres or postgres.js. */
export interface DrizzleTransaction {
  rollback(): never;
  readonly _: { readonly session: object };
}

// Works on the client of the transaction. Drizzle keeps it in the session, and makes statements with parameters only by a function of its own.
const gate: TransactionGate<DrizzleTransaction> = {
  async within(tx, fn) {
    if (!isTransaction(tx)) {
      throw notInTransaction('expected the tx of db.transaction(), got something without a transaction of its own');
    }
    const client: unknown = Reflect.get(tx._.session, 'client');
    return (typeof client === 'function' ? postgresGate : pgGate).within(client, fn);
  },
};

// The database itself has no rollback.
function isTransaction(thing: unknown): thing is DrizzleTransaction {
  return typeof thing === 'object' && thing !== null && typeof Reflect.get(thing, 'rollback') === 'function';
}

/** Enqueue functions for Drizzle, over node-postgres or postgres.js. The exported `enqueue` and `enqueueMany` are those of the schema "waybill". */
export function outbox(options: OutboxOptions = {}): Outbox<DrizzleTransaction> {
  return createOutbox(gate, newMessageId, options);
}

const standard = outbox();
/** {@inheritDoc Outbox.enqueue} */
export const enqueue: Outbox<DrizzleTransaction>['enqueue'] = standard.enqueue;
/** {@inheritDoc Outbox.enqueueMany} */
export const enqueueMany: Outbox<DrizzleTransaction>['enqueueMany'] = standard.enqueueMany;
/** {@inheritDoc Inbox} */
export const inbox: Inbox<DrizzleTransaction> = createInbox(gate);
/** {@inheritDoc CreateOnce} */
export const createOnce: CreateOnce<DrizzleTransaction> = onceCreator(gate);
