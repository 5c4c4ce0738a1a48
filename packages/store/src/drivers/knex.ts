import { type CreateOnce, onceCreator } from '../create-once/create-once.ts';
import { newMessageId } from '../enqueue/new-id.ts';
import { createOutbox, type Outbox, type OutboxOptions } from '../enqueue/outbox.ts';
import { createInbox, type Inbox } from '../inbox/inbox.ts';
import { type KnexTransaction, knexGate } from './knex-transaction.ts';

export type { KnexTransaction } from './knex-transaction.ts';

/** Enqueue functions for Knex. The exported `enqueue` and `enqueueMany` are those of the schema "waybill". */
export function outbox(options: OutboxOptions = {}): Outbox<KnexTransaction> {
  return createOutbox(knexGate, newMessageId, options);
}

const standard = outbox();
/** {@inheritDoc Outbox.enqueue} */
export const enqueue: Outbox<KnexTransaction>['enqueue'] = standard.enqueue;
/** {@inheritDoc Outbox.enqueueMany} */
export const enqueueMany: Outbox<KnexTransaction>['enqueueMany'] = standard.enqueueMany;
/** {@inheritDoc Inbox} */
export const inbox: Inbox<KnexTransaction> = createInbox(knexGate);
/** {@inheritDoc CreateOnce} */
export const createOnce: CreateOnce<KnexTransaction> = onceCreator(knexGate);
