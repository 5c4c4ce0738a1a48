import type { PreparedMessage } from '../enqueue/prepare.ts';
import type { Executor } from '../executor.ts';
import { textOf } from '../row.ts';
import type { OpenTransaction } from '../transaction-gate.ts';

/** `unwritable`: nothing was written, since the version of one of the messages may not be written now. */
export type EnqueueOutcome = 'created' | 'repeat' | 'conflict' | 'unwritable';

const OUTCOMES: Readonly<Record<string, EnqueueOutcome>> = {
  created: 'created',
  repeat: 'repeat',
  conflict: 'conflict',
  unwritable: 'unwritable',
};

/** Which of the messages are there already with the same content, by their index. */
export async function findRepeats(
  executor: Executor,
  schema: string,
  messages: readonly PreparedMessage[],
): Promise<readonly number[]> {
  const rows = await executor.query(
    `select call_order::text as place from ${schema}.repeats($1::text::json, $2::text::json)`,
    textsOf(messages),
  );
  return rows.map((row) => Number(textOf(row, 'place')) - 1);
}

/** Writes the messages in their order. `at`: the database's time in milliseconds. */
export async function enqueueRows(
  { executor, transactionId }: OpenTransaction,
  schema: string,
  messages: readonly PreparedMessage[],
): Promise<{ readonly outcomes: readonly EnqueueOutcome[]; readonly at: number }> {
  const [only] = messages;
  if (only !== undefined && messages.length === 1) return enqueueOne({ executor, transactionId }, schema, only);
  const rows = await executor.query(text(schema), [...textsOf(messages), transactionId]);
  const [first] = rows;
  if (first === undefined) throw new TypeError('enqueue answered without a row');
  return {
    outcomes: rows.map((row) => OUTCOMES[textOf(row, 'outcome')] ?? 'conflict'),
    at: Number(textOf(first, 'at')),
  };
}

// To call a function that gives one value costs the server less than half of a call of one that gives rows.
async function enqueueOne(
  { executor, transactionId }: OpenTransaction,
  schema: string,
  { descriptor, payload }: PreparedMessage,
): Promise<{ readonly outcomes: readonly EnqueueOutcome[]; readonly at: number }> {
  const [row] = await executor.query(`select ${schema}.enqueue_one($1::text, $2::text, $3::text) as answer`, [
    JSON.stringify(descriptor),
    payload,
    transactionId,
  ]);
  if (row === undefined) throw new TypeError('enqueue answered without a row');
  const [outcome = '', at] = textOf(row, 'answer').split(' ');
  return { outcomes: [OUTCOMES[outcome] ?? 'conflict'], at: Number(at) };
}

// Two texts carry any number of messages; parameters of their own would end at 65,535. Payloads are joined as they are: their bytes are stored.
const textsOf = (messages: readonly PreparedMessage[]): readonly [string, string] => [
  JSON.stringify(messages.map(({ descriptor }) => descriptor)),
  `[${messages.map(({ payload }) => payload).join(',')}]`,
];

// The time comes once, with the first row. On the connection of a caller every name is qualified: its search path may lead anywhere.
const text = (schema: string): string => `
select outcome, case when n = 1 then (extract(epoch from pg_catalog.clock_timestamp()) * 1000)::bigint::text end as at
from ${schema}.enqueue($1::text::json, $2::text::json, $3::text) with ordinality e (id, outcome, n)`;
