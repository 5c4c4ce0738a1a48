import { StoreError } from '../errors.ts';
import { quoteIdentifier } from '../identifier.ts';
import { explainTransactionError } from '../sql-errors.ts';
import { enterInbox, type InboxAnswer } from '../statements/inbox.ts';
import { DEFAULT_SCHEMA, type StoreOptions } from '../store.ts';
import type { TransactionGate } from '../transaction-gate.ts';

/**
 * Enters a message in the consumer's own open transaction: `first` when the consumer has to do its work, which commits together with the entry;
 * `repeat` when it has been done. While another transaction works on the same message it waits, and answers as soon as that one has ended.
 * `consumer` names who does the work: two consumers of one message each get their `first`. `messageId` is the message's id, or the business
 * key that the delivery declares. Throws `STO_NOT_IN_TRANSACTION` for anything but an open transaction.
 */
export type Inbox<Tx> = (tx: Tx, consumer: string, messageId: string, options?: StoreOptions) => Promise<InboxAnswer>;

// The same as the table's own checks, which would abort the transaction.
const MAX_NAME_BYTES = 255;
// PostgreSQL's text has no place for NUL and lone surrogates.
const NOT_TEXT = /[\0\p{Cs}]/u;

/** Builds the inbox of one driver. */
export function createInbox<Tx>(gate: TransactionGate<Tx>): Inbox<Tx> {
  return async (tx, consumer, messageId, options = {}) => {
    const schema = quoteIdentifier(options.schema ?? DEFAULT_SCHEMA);
    checkName('consumer', consumer);
    checkName('messageId', messageId);
    return gate.within(tx, (open) => enterInbox(open, schema, { consumer, messageId })).catch(explainTransactionError);
  };
}

function checkName(what: string, name: unknown): void {
  const bytes = typeof name === 'string' && !NOT_TEXT.test(name) ? Buffer.byteLength(name) : 0;
  if (bytes >= 1 && bytes <= MAX_NAME_BYTES) return;
  throw new StoreError(
    'STO_INVALID_OPTION',
    `inbox: ${what}: expected text of 1 to ${String(MAX_NAME_BYTES)} bytes without NUL`,
  );
}
