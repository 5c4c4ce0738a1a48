import { StoreError } from './errors.ts';
import type { Executor } from './executor.ts';
import { readTransactionId } from './statements/transaction-id.ts';

/** A transaction of the caller's that is open as far as its client can tell. */
export interface OpenTransaction {
  readonly executor: Executor;
  /**
   * What each statement has to prove before it does anything: that it runs in the transaction with this id, or, with `any`, in one that has an
   * id by now, which a statement outside of every transaction has not. Null where the client itself knows.
   */
  readonly transactionId: string | null;
}

/** What a driver knows about its transactions. */
export interface TransactionGate<Tx> {
  /**
   * Runs `fn` on the open transaction `tx`; throws `STO_NOT_IN_TRANSACTION` for anything else. Where the client knows that a transaction is open,
   * `fn` starts in the tick in which it was asked, so that no COMMIT can slip in between.
   */
  within<T>(tx: Tx, fn: (open: OpenTransaction) => Promise<T>): Promise<T>;
}

/** The refusal of something that is not an open transaction. */
export function notInTransaction(message: string, cause?: unknown): StoreError {
  return new StoreError('STO_NOT_IN_TRANSACTION', message, { cause });
}

/** A gate for a library that wraps a client with a gate of its own. `clientOf` throws where the library knows that no transaction is open. */
export function unwrappingGate<Tx, Client>(
  gate: TransactionGate<Client>,
  clientOf: (tx: Tx) => Client | Promise<Client>,
): TransactionGate<Tx> {
  return { within: async (tx, fn) => gate.within(await clientOf(tx), fn) };
}

// One id per transaction object. An object that outlives its transaction is found out by it, even where another one runs on its connection.
const ids = new WeakMap<object, Promise<string>>();

/**
 * Lets every statement prove that it runs in the transaction of `tx`, for clients that do not know whether one is open. The id is read once for
 * an object, which must stand for one transaction as long as it lives.
 */
export async function withinProven<T>(
  tx: object,
  executor: Executor,
  fn: (open: OpenTransaction) => Promise<T>,
): Promise<T> {
  return fn({ executor, transactionId: await (ids.get(tx) ?? takeTransactionId(tx, executor)) });
}

/** Reads the id of the transaction that `tx` stands for. Taken right after BEGIN, no other transaction can be mistaken for it later. */
export function takeTransactionId(tx: object, executor: Executor): Promise<string> {
  const id = readTransactionId(executor);
  ids.set(tx, id);
  // After a rollback to a savepoint the transaction may go on, and the next statement tries again.
  id.catch(() => ids.delete(tx));
  return id;
}
