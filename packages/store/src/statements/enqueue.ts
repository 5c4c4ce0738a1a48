import type { PreparedMessage } from '../enqueue/prepare.ts';
import type { Executor } from '../executor.ts';
import { textOf } from '../row.ts';

export type EnqueueOutcome = 'created' | 'repeat' | 'conflict';

const OUTCOMES: Readonly<Record<string, EnqueueOutcome>> = {
  created: 'created',
  repeat: 'repeat',
  conflict: 'conflict',
};

/** Writes the messages in their order. `token`: proof that the statement still runs inside the caller's transaction. */
export async function enqueueRows(
  executor: Executor,
  schema: string,
  { messages, token }: { readonly messages: readonly PreparedMessage[]; readonly token: string | null },
): Promise<readonly EnqueueOutcome[]> {
  // Two texts carry any number of messages; parameters of their own would end at 65,535. Payloads are joined as they are: their bytes are stored.
  const rows = await executor.query(`select outcome from ${schema}.enqueue($1::text::json, $2::text::json, $3::text)`, [
    JSON.stringify(messages.map(({ descriptor }) => descriptor)),
    `[${messages.map(({ payload }) => payload).join(',')}]`,
    token,
  ]);
  return rows.map((row) => OUTCOMES[textOf(row, 'outcome')] ?? 'conflict');
}

/** Adds a token to the transaction's own setting, which PostgreSQL drops when the transaction ends. */
export async function setTransactionToken(executor: Executor, token: string): Promise<void> {
  await executor.query(
    `select set_config('waybill.transaction', concat(current_setting('waybill.transaction', true), ' ', $1::text), true)`,
    [token],
  );
}
