import type pg from 'pg';

import type { StoreError } from '../errors.ts';
import type { Executor, Row, Value } from '../executor.ts';
import { readTransactionId } from '../statements/transaction-id.ts';
import { notInTransaction, type OpenTransaction, type TransactionGate } from '../transaction-gate.ts';

/** What `enqueue` takes: a client that was checked out of a pool, or stands alone. Not a pool: each statement of a pool may run elsewhere. */
export type PgTransaction = pg.ClientBase;

/** Knows a transaction by the status that the server sent with its last answer. */
export const pgGate: TransactionGate<unknown> = {
  async within(client, fn) {
    if (isOlderClient(client)) return fn(await provenById(client));
    if (!isClient(client)) throw refusal('none');
    const status = client.getTransactionStatus();
    if (status !== 'T') throw refusal(status ?? 'none');
    return fn(isIdle(client) ? { executor: executorOf(client), transactionId: null } : provenLater(client));
  },
};

// Before 8.21 a client did not tell its status. Libraries bring such ones along.
async function provenById(client: PgTransaction): Promise<OpenTransaction> {
  const executor = executorOf(client);
  return { executor, transactionId: await readTransactionId(executor) };
}

// A client that is busy may have a COMMIT in its queue, so there the statement proves itself: the transaction gets an id just before it, and it
// refuses to run where there is none, that is outside of every transaction.
function provenLater(client: PgTransaction): OpenTransaction {
  const executor = executorOf(client);
  return {
    transactionId: 'any',
    executor: {
      async query(text, values) {
        const [, rows] = await Promise.all([readTransactionId(executor), executor.query(text, values)]);
        return rows;
      },
    },
  };
}

// A pool has neither, and untyped callers may pass anything.
function isClient(thing: unknown): thing is PgTransaction {
  return isObject(thing) && typeof Reflect.get(thing, 'getTransactionStatus') === 'function';
}

function isOlderClient(thing: unknown): thing is PgTransaction {
  return isObject(thing) && typeof Reflect.get(thing, 'processID') === 'number' && !isClient(thing);
}

function isObject(thing: unknown): thing is object {
  return typeof thing === 'object' && thing !== null;
}

// Not in the types, and absent from native clients, which then always prove themselves.
function isIdle(client: PgTransaction): boolean {
  return Reflect.get(client, 'readyForQuery') === true;
}

const FOUND = {
  I: 'a client outside any transaction',
  E: 'a client whose transaction has failed already',
  none: 'something that has no transaction of its own (a pool, or a client that is not connected)',
} as const;

function refusal(found: keyof typeof FOUND): StoreError {
  return notInTransaction(`expected a pg client between BEGIN and COMMIT, got ${FOUND[found]}`);
}

/** Runs statements on one client, or each on any client of a pool. */
export function executorOf(client: pg.ClientBase | pg.Pool): Executor {
  return {
    async query(text: string, values?: readonly Value[]): Promise<readonly Row[]> {
      const result = await (values === undefined ? client.query<Row>(text) : client.query<Row>(text, [...values]));
      return result.rows;
    },
  };
}
