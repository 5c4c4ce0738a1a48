import { StoreError } from '../errors.ts';
import type { Row } from '../executor.ts';
import { explainTransactionError } from '../sql-errors.ts';
import { findByKey, insertOnce, lockKey, readTableFacts } from '../statements/create-once.ts';
import { notInTransaction, type OpenTransaction, type TransactionGate } from '../transaction-gate.ts';
import { type CreateOnceRequest, checkRequest, decideTarget, nameOfTable, withoutUndefined } from './request.ts';
import { jsonOf } from './values.ts';

export interface CreateOnceResult {
  /** False: a row with this key was there already. It is as it was; `values` were not looked at. */
  readonly created: boolean;
  /** The row, each value as the driver gives it. */
  readonly row: Row;
}

/**
 * Creates the row of a natural key on the caller's open transaction, once. A repeat finds the row and inserts nothing, so it burns no value of a
 * sequence; neither does a repeat at the same moment, which waits until the first one has ended. Needs READ COMMITTED, since an older snapshot
 * cannot see who came before, and a unique constraint or index over exactly the columns of the key, which are not null.
 *
 * Throws before anything is written, with the transaction intact: `STO_NOT_IN_TRANSACTION`, `STO_INVALID_OPTION`, `STO_NEEDS_READ_COMMITTED`,
 * `STO_NO_UNIQUE_KEY`. Throws `STO_ROW_NOT_VISIBLE` where the row can be neither created nor seen.
 */
export type CreateOnce<Tx> = (tx: Tx, request: CreateOnceRequest) => Promise<CreateOnceResult>;

/** Builds `createOnce` for one driver. */
export function onceCreator<Tx>(gate: TransactionGate<Tx>): CreateOnce<Tx> {
  return async (tx, request) => gate.within(tx, (open) => createRow(open, request)).catch(explainTransactionError);
}

async function createRow(open: OpenTransaction, request: CreateOnceRequest): Promise<CreateOnceResult> {
  checkRequest(request);
  const { executor } = open;
  const key = withoutUndefined(request.key);
  const written = { ...key, ...withoutUndefined(request.values) };
  const [keyText, writtenText] = [jsonOf(key), jsonOf(written)];
  const table = await readTableFacts(open, nameOfTable(request.table), Object.keys(key));
  if (table?.open === false) throw notInTransaction('the transaction of this createOnce is gone');
  const target = decideTarget(table, request, { key, written });
  const named = (row: Row): Row =>
    Object.fromEntries(target.table.columns.map(({ name }, index) => [name, row[`c${String(index)}`]]));

  await lockKey(executor, target, keyText);
  const before = await findByKey(executor, target, keyText);
  if (before !== undefined) return { created: false, row: named(before) };
  const inserted = await insertOnce(open, target, writtenText);
  if (inserted !== undefined) return { created: true, row: named(inserted) };
  // Somebody inserted the key without taking the lock: their row is the row.
  const theirs = await findByKey(executor, target, keyText);
  if (theirs !== undefined) return { created: false, row: named(theirs) };
  throw new StoreError(
    'STO_ROW_NOT_VISIBLE',
    `createOnce: the row of ${target.table.quoted} was neither inserted nor found: a trigger keeps it away, or the transaction is gone`,
  );
}
