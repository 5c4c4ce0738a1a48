import { type CreateOnce, onceCreator } from '../create-once/create-once.ts';
import { newMessageId } from '../enqueue/new-id.ts';
import { createOutbox, type Outbox, type OutboxOptions } from '../enqueue/outbox.ts';
import type { Executor, Row, Value } from '../executor.ts';
import { createInbox, type Inbox } from '../inbox/inbox.ts';
import { transactionRefusal } from '../sql-errors.ts';
import { notInTransaction, type TransactionGate, withinProven } from '../transaction-gate.ts';

/** What `enqueue` takes: what an interactive `prisma.$transaction(...)` hands to its callback. Not the client itself, which alone has `$connect`. */
export interface PrismaTransaction {
  readonly $connect?: never;
  $queryRawUnsafe(query: string, ...values: readonly Value[]): PromiseLike<unknown>;
}

// Lets every statement prove itself: Prisma does not show the client, nor what the server says of its transaction.
const gate: TransactionGate<PrismaTransaction> = {
  async within(tx, fn) {
    if (isTransaction(tx)) return withinProven(tx, executorOf(tx), fn);
    throw notInTransaction(
      'expected the tx of prisma.$transaction(...), got something without a transaction of its own',
    );
  },
};

function isTransaction(thing: unknown): thing is PrismaTransaction {
  return (
    isObject(thing) &&
    typeof Reflect.get(thing, '$queryRawUnsafe') === 'function' &&
    Reflect.get(thing, '$connect') === undefined
  );
}

function executorOf(tx: PrismaTransaction): Executor {
  return {
    async query(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
      try {
        // What a SELECT of ours gives: an object for each row.
        return (await tx.$queryRawUnsafe(text, ...values)) as readonly Row[];
      } catch (error) {
        const refusal = refusalOf(error);
        throw refusal === null ? error : notInTransaction(refusal, error);
      }
    },
  };
}

const CLOSED = 'P2028';

// Prisma has codes of its own, and keeps the answer of the server behind them.
function refusalOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (Reflect.get(error, 'code') === CLOSED) return 'the transaction has ended, or ran into the timeout of Prisma';
  const meta: unknown = Reflect.get(error, 'meta');
  return isObject(meta) ? transactionRefusal(Reflect.get(meta, 'driverAdapterError') ?? meta) : null;
}

function isObject(thing: unknown): thing is object {
  return typeof thing === 'object' && thing !== null;
}

/** Enqueue functions for Prisma. The exported `enqueue` and `enqueueMany` are those of the schema "waybill". */
export function outbox(options: OutboxOptions = {}): Outbox<PrismaTransaction> {
  return createOutbox(gate, newMessageId, options);
}

const standard = outbox();
/** {@inheritDoc Outbox.enqueue} */
export const enqueue: Outbox<PrismaTransaction>['enqueue'] = standard.enqueue;
/** {@inheritDoc Outbox.enqueueMany} */
export const enqueueMany: Outbox<PrismaTransaction>['enqueueMany'] = standard.enqueueMany;
/** {@inheritDoc Inbox} */
export const inbox: Inbox<PrismaTransaction> = createInbox(gate);
/** {@inheritDoc CreateOnce} */
export const createOnce: CreateOnce<PrismaTransaction> = onceCreator(gate);
