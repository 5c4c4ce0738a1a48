import type postgres from 'postgres';

import { newMessageId } from '../enqueue/new-id.ts';
import { createOutbox, type Outbox, type OutboxOptions, type TransactionGate } from '../enqueue/outbox.ts';
import { StoreError } from '../errors.ts';
import type { Database, Executor, Row, Value } from '../executor.ts';
import { createInbox, type Inbox } from '../inbox/inbox.ts';
import { setTransactionToken } from '../statements/enqueue.ts';

/**
 * What `enqueue` takes: the `sql` that `sql.begin` or `sql.savepoint` hands to its callback. Use it inside that callback only: the driver cannot
 * tell a transaction that has ended, and may keep a statement of such a one waiting for ever when its connection is busy.
 */
export type PostgresTransaction = postgres.TransactionSql;

// One token per transaction object, so that a callback that outlives its transaction is found out even where another one runs on its connection.
const tokens = new WeakMap<object, { readonly token: string; readonly set: Promise<void> }>();

const gate: TransactionGate<PostgresTransaction> = {
  enter(tx) {
    if (typeof tx !== 'function' || typeof tx.savepoint !== 'function') {
      throw new StoreError(
        'STO_NOT_IN_TRANSACTION',
        'expected the sql of sql.begin(...), got something without a transaction of its own',
      );
    }
    const executor = executorOf(tx);
    const { token, set } = tokens.get(tx) ?? takeToken(tx, executor);
    return { executor: after(set, executor), token };
  },
};

// The driver may lose the connection in the middle of a transaction and run what follows on a new one, outside of it. There the token is
// gone, and the statement refuses itself.
function takeToken(
  tx: PostgresTransaction,
  executor: Executor,
): { readonly token: string; readonly set: Promise<void> } {
  const token = newMessageId();
  const taken = { token, set: setTransactionToken(executor, token) };
  tokens.set(tx, taken);
  // After a rollback to a savepoint the transaction may go on, and the next enqueue tries again.
  taken.set.catch(() => tokens.delete(tx));
  return taken;
}

// The statement follows once the token is there. Sent along at once, it would wait for ever on the connection of a transaction that has ended:
// the driver keeps a second statement in a queue of the transaction, which nobody empties any more.
function after(set: Promise<void>, executor: Executor): Executor {
  return {
    async query(text, values) {
      await set;
      return executor.query(text, values);
    },
  };
}

/** Enqueue functions for postgres. The exported `enqueue` and `enqueueMany` are those of the schema "waybill". */
export function outbox(options: OutboxOptions = {}): Outbox<PostgresTransaction> {
  return createOutbox(gate, newMessageId, options);
}

const standard = outbox();
/** {@inheritDoc Outbox.enqueue} */
export const enqueue: Outbox<PostgresTransaction>['enqueue'] = standard.enqueue;
/** {@inheritDoc Outbox.enqueueMany} */
export const enqueueMany: Outbox<PostgresTransaction>['enqueueMany'] = standard.enqueueMany;
/** {@inheritDoc Inbox} */
export const inbox: Inbox<PostgresTransaction> = createInbox(gate);

/** Uses the caller's `sql`, which `close` leaves open. */
export function postgresDatabase(sql: postgres.Sql): Database<postgres.ReservedSql> {
  return {
    ...executorOf(sql),
    async connection(fn) {
      const reserved = await sql.reserve();
      try {
        return await fn({ ...executorOf(reserved), native: reserved });
      } finally {
        reserved.release();
      }
    },
    close: () => Promise.resolve(),
  };
}

function executorOf(sql: postgres.ISql): Executor {
  return {
    async query(text: string, values?: readonly Value[]): Promise<readonly Row[]> {
      // Without values it is a script, which only the simple protocol takes.
      const rows = await (values === undefined
        ? sql.unsafe<Row[]>(text).simple()
        : sql.unsafe<Row[]>(text, values.map(encode)));
      return Array.isArray(rows) && isRenamed(rows[0]) ? rows.map(withNamesOfStatement) : rows;
    },
  };
}

// The caller's `sql` may give columns other names (transform: postgres.camel, pascal or kebab). Statements know them in snake case.
function isRenamed(row: Row | undefined): boolean {
  return row !== undefined && !Object.keys(row).every((name) => /^[a-z0-9_]+$/.test(name));
}

function withNamesOfStatement(row: Row): Row {
  const named = Object.entries(row).map(([name, value]) => [
    name
      .replaceAll('-', '_')
      .replaceAll(/(?<=.)[A-Z]/g, '_$&')
      .toLowerCase(),
    value,
  ]);
  return Object.fromEntries(named) as Row;
}

// The driver writes a null inside an array as the text "NULL", so arrays are written here.
function encode(value: Value): string | number | boolean | null {
  return isList(value) ? `{${value.map(element).join(',')}}` : value;
}

function isList(value: Value): value is readonly (string | number | boolean | null)[] {
  return Array.isArray(value);
}

function element(value: string | number | boolean | null): string {
  return value === null ? 'NULL' : `"${String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
