import { ContractError } from '../contract-error.ts';
import type { AnyMessage, PayloadOf } from '../definition/message.ts';

/** Record keys are indexed, and an index entry must stay well below a third of a page of 8 kB. */
export const RECORD_KEY_MAX_BYTES = 512;

// PostgreSQL has no text with half of a surrogate pair in it, and would say so by failing the transaction.
const RECORD_KEY = /^[A-Za-z][A-Za-z0-9_.-]*\/[^\p{Cc}\p{Cs}]+$/u;

/**
 * The `Object/id` of a payload in the newest shape; the empty string for a type whose messages have no order.
 *
 * @throws ContractError `CTR_RECORD_KEY_INVALID` for a key of another form or of more than {@link RECORD_KEY_MAX_BYTES} bytes.
 */
export function recordKeyOf<M extends AnyMessage>(message: M, newestPayload: PayloadOf<M>): string {
  if (message.recordKey === null) return '';
  // The message's own function, typed for exactly this payload; the general type of a message has forgotten for which.
  const key: unknown = (message.recordKey as (newest: PayloadOf<M>) => string)(newestPayload);
  const problem = recordKeyProblem(key);
  if (problem !== null) throw new ContractError('CTR_RECORD_KEY_INVALID', `${message.type}: ${problem}`);
  return key as string;
}

/** Why a value is no record key, or null. */
export function recordKeyProblem(key: unknown): string | null {
  if (typeof key !== 'string') return `a record key is a string, not ${key === null ? 'null' : typeof key}`;
  if (!RECORD_KEY.test(key))
    return 'a record key has the form Object/id, without control characters and lone surrogates';
  return Buffer.byteLength(key) > RECORD_KEY_MAX_BYTES
    ? `a record key has at most ${RECORD_KEY_MAX_BYTES} bytes`
    : null;
}
