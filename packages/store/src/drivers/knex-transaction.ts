import { notInTransaction, type TransactionGate, unwrappingGate } from '../transaction-gate.ts';
import { pgGate } from './pg-transaction.ts';

/** What `enqueue` takes: the transaction of `knex.transaction(...)`, over pg. */
export interface KnexTransaction {
  isCompleted(): boolean;
  readonly client: { acquireConnection(): Promise<unknown> };
}

/** Works on the pg client of the transaction, since Knex gives a meaning to question marks in a statement. */
export const knexGate: TransactionGate<unknown> = unwrappingGate(pgGate, (trx) => {
  if (!isTransaction(trx)) {
    throw notInTransaction(
      'expected the transaction of knex.transaction(), got something without a transaction of its own',
    );
  }
  if (trx.isCompleted()) throw notInTransaction('the transaction has ended');
  // Inside a transaction it always is the one connection of that transaction.
  return trx.client.acquireConnection();
});

function isTransaction(thing: unknown): thing is KnexTransaction {
  return typeof thing === 'function' && typeof Reflect.get(thing, 'isCompleted') === 'function';
}
