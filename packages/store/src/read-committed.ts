import type { Database, Row, Value } from './executor.ts';
import { transaction } from './transaction/transaction.ts';

/**
 * Claim, sweep and others need fresh snapshots and refuse a statement without (errcode WB003). Where the database, the role or the pool has
 * another default isolation, every statement from then on goes into a transaction of its own that says READ COMMITTED; elsewhere nothing is added.
 */
export function inReadCommitted<Native>(database: Database<Native>): Database<Native> {
  let spelledOut = false;

  const inTransaction = (text: string, values?: readonly Value[]): Promise<readonly Row[]> =>
    database.connection((connection) => transaction(connection, () => connection.query(text, values)));

  return {
    async query(text, values) {
      if (spelledOut) return inTransaction(text, values);
      try {
        return await database.query(text, values);
      } catch (error) {
        if (!isStaleSnapshot(error)) throw error;
        spelledOut = true;
        return inTransaction(text, values);
      }
    },
    connection: (fn) => database.connection(fn),
    close: () => database.close(),
  };
}

function isStaleSnapshot(error: unknown): boolean {
  return typeof error === 'object' && error !== null && Reflect.get(error, 'code') === 'WB003';
}
