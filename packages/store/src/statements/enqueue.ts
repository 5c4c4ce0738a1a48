import type { PreparedMessage } from '../enqueue/prepare.ts';
import { textOf } from '../row.ts';
import type { OpenTransaction } from '../transaction-gate.ts';

export type EnqueueOutcome = 'created' | 'repeat' | 'conflict';

const OUTCOMES: Readonly<Record<string, EnqueueOutcome>> = {
  created: 'created',
  repeat: 'repeat',
  conflict: 'conflict',
};

/** Writes the messages in their order. */
export async function enqueueRows(
  { executor, transactionId }: OpenTransaction,
  schema: string,
  messages: readonly PreparedMessage[],
): Promise<readonly EnqueueOutcome[]> {
  // Two texts carry any number of messages; parameters of their own would end at 65,535. Payloads are joined as they are: their bytes are stored.
  const rows = await executor.query(`select outcome from ${schema}.enqueue($1::text::json, $2::text::json, $3::text)`, [
    JSON.stringify(messages.map(({ descriptor }) => descriptor)),
    `[${messages.map(({ payload }) => payload).join(',')}]`,
    transactionId,
  ]);
  return rows.map((row) => OUTCOMES[textOf(row, 'outcome')] ?? 'conflict');
}
