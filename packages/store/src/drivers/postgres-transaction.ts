import type postgres from 'postgres';

import type { Executor, Row, Value } from '../executor.ts';
import { notInTransaction, type TransactionGate, withinProven } from '../transaction-gate.ts';

/**
 * What `enqueue` takes: the `sql` that `sql.begin` or `sql.savepoint` hands to its callback, or `transaction` to its own. Use it inside that callback
 * only: the driver cannot tell a transaction that has ended, and may keep a statement of such a one waiting for ever when its connection is busy.
 * With `sql.begin`, a first use that falls into another transaction on the same connection goes unnoticed; `transaction` closes that hole.
 */
export type PostgresTransaction = postgres.TransactionSql;

/**
 * Lets every statement prove itself: the driver may lose the connection in the middle of a transaction and run what follows on a new one, outside
 * of it. The statement follows once the id is there. Sent along at once, it would wait for ever on the connection of a transaction that has ended:
 * the driver keeps a second statement in a queue of the transaction, which nobody empties any more.
 */
export const postgresGate: TransactionGate<unknown> = {
  async within(tx, fn) {
    if (isTransaction(tx)) return withinProven(tx, executorOf(tx), fn);
    throw notInTransaction('expected the sql of sql.begin(...), got something without a transaction of its own');
  },
};

function isTransaction(thing: unknown): thing is PostgresTransaction {
  return typeof thing === 'function' && typeof Reflect.get(thing, 'savepoint') === 'function';
}

/** Runs statements on one connection, or each on any connection of a pool. */
export function executorOf(sql: postgres.ISql): Executor {
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
