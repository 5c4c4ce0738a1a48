import { ContractError, type Readers, type ReadStatus, recordKeyOf } from '@waybill/contracts';

/** The record key of a stored message, by the same function as at its enqueue, or why this build cannot tell it. */
export type StoredKey = { readonly key: string } | { readonly why: Exclude<ReadStatus, 'ok'> | 'record-key-invalid' };

/** Computes the key of a message that was stored without one. */
export function storedKey(
  readers: Readers,
  stored: { readonly type: string; readonly version: number; readonly payload: string },
): StoredKey {
  const message = readers.message(stored.type);
  if (message === undefined) return { why: 'unknown-type' };
  const read = readers.readAs(message, stored);
  if (read.status !== 'ok') return { why: read.status };
  try {
    return { key: recordKeyOf(message, read.payload) };
  } catch (error) {
    if (error instanceof ContractError) return { why: 'record-key-invalid' };
    throw error;
  }
}
