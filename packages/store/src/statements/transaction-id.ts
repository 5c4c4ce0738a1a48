import type { Executor } from '../executor.ts';
import { textOf } from '../row.ts';

/** The id of the transaction under way, which no other one ever has. It gets one now if it had none; outside of a transaction, a statement has one of its own. */
export async function readTransactionId(executor: Executor): Promise<string> {
  const [row] = await executor.query('select pg_catalog.pg_current_xact_id()::text as id');
  if (row === undefined) throw new TypeError('a transaction id was asked for and no row came');
  return textOf(row, 'id');
}
