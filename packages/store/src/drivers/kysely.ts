import { type CreateOnce, onceCreator } from '../create-once/create-once.ts';
import { newMessageId } from '../enqueue/new-id.ts';
import { createOutbox, type Outbox, type OutboxOptions } from '../enqueue/outbox.ts';
import { createInbox, type Inbox } from '../inbox/inbox.ts';
import { type KyselyTransaction, kyselyGate } from './kysely-transaction.ts';

export type { KyselyTransaction } from './kysely-transaction.ts';

/** Enqueue functions for Kysely. The exported `enqueue` and `enqueueMany` are those of the schema "waybill". */
export function outbox(options: OutboxOptions = {}): Outbox<KyselyTransaction> {
  return createOutbox(kyselyGate, newMessageId, options);
}

const standard = outbox();
/** {@inheritDoc Outbox.enqueue} */
export const enqueue: Outbox<KyselyTransaction>['enqueue'] = standard.enqueue;
/** {@inheritDoc Outbox.enqueueMany} */
export const enqueueMany: Outbox<KyselyTransaction>['enqueueMany'] = standard.enqueueMany;
/** {@inheritDoc Inbox} */
export const inbox: Inbox<KyselyTransaction> = createInbox(kyselyGate);
/** {@inheritDoc CreateOnce} */
export const createOnce: CreateOnce<KyselyTransaction> = onceCreator(kyselyGate);
