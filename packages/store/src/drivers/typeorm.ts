import { type CreateOnce, onceCreator } from '../create-once/create-once.ts';
import { newMessageId } from '../enqueue/new-id.ts';
import { createOutbox, type Outbox, type OutboxOptions } from '../enqueue/outbox.ts';
import { createInbox, type Inbox } from '../inbox/inbox.ts';
import { notInTransaction, type TransactionGate, unwrappingGate } from '../transaction-gate.ts';
import { pgGate } from './pg-transaction.ts';

/** What `enqueue` takes: the manager of `dataSource.transaction(...)`, or a query runner between `startTransaction` and its end. */
export type TypeormTransaction = TypeormQueryRunner | TypeormEntityManager;

export interface TypeormEntityManager {
  readonly queryRunner?: TypeormQueryRunner | undefined;
  release(): Promise<void>;
}

export interface TypeormQueryRunner {
  readonly isReleased: boolean;
  readonly isTransactionActive: boolean;
  connect(): Promise<unknown>;
}

// TypeORM knows of an end that it brought about itself; the rest its pg client knows.
const gate: TransactionGate<unknown> = unwrappingGate(pgGate, (thing) => {
  const runner: unknown = isObject(thing) && 'queryRunner' in thing ? thing.queryRunner : thing;
  if (!isQueryRunner(runner) || runner.isReleased || !runner.isTransactionActive) {
    throw notInTransaction('expected the manager or query runner of an open transaction of TypeORM');
  }
  // In a transaction it is connected already, and gives its client.
  return runner.connect();
});

function isObject(thing: unknown): thing is object {
  return typeof thing === 'object' && thing !== null;
}

function isQueryRunner(thing: unknown): thing is TypeormQueryRunner {
  return isObject(thing) && typeof Reflect.get(thing, 'isTransactionActive') === 'boolean';
}

/** Enqueue functions for TypeORM. The exported `enqueue` and `enqueueMany` are those of the schema "waybill". */
export function outbox(options: OutboxOptions = {}): Outbox<TypeormTransaction> {
  return createOutbox(gate, newMessageId, options);
}

const standard = outbox();
/** {@inheritDoc Outbox.enqueue} */
export const enqueue: Outbox<TypeormTransaction>['enqueue'] = standard.enqueue;
/** {@inheritDoc Outbox.enqueueMany} */
export const enqueueMany: Outbox<TypeormTransaction>['enqueueMany'] = standard.enqueueMany;
/** {@inheritDoc Inbox} */
export const inbox: Inbox<TypeormTransaction> = createInbox(gate);
/** {@inheritDoc CreateOnce} */
export const createOnce: CreateOnce<TypeormTransaction> = onceCreator(gate);
