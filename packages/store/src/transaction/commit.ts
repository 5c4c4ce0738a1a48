import { StoreError } from '../errors.ts';
import type { Connection } from '../executor.ts';

/**
 * Commits. Throws the server's error where it has refused and rolled back, `STO_ROLLED_BACK` where the transaction had failed before, and
 * `STO_COMMIT_UNKNOWN` where the connection was lost before the answer came: the transaction may have been committed or not.
 */
export async function commit(connection: Connection): Promise<void> {
  const outcome = await connection.commit().catch((cause: unknown) => {
    throw isRefusal(cause) ? cause : commitUnknown(cause);
  });
  if (outcome === 'rolled-back')
    throw new StoreError(
      'STO_ROLLED_BACK',
      'a statement had failed and its error was caught, so that COMMIT rolled back',
    );
}

// A SQLSTATE of the server's, but for those with which it ends a connection (lost, shut down, crashed), which it may do after it has committed.
const REFUSAL = /^(?!08|57P|58|XX)[0-9A-Z]{5}$/;

/** Whether the server has answered a COMMIT with a refusal, so that it surely rolled back. */
export function isRefusal(error: unknown): boolean {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  // Node's own codes may have five letters too (EPIPE), but no digit.
  return typeof code === 'string' && REFUSAL.test(code) && /\d/.test(code);
}

/** The error of a COMMIT that nobody has answered. */
export function commitUnknown(cause: unknown): StoreError {
  return new StoreError('STO_COMMIT_UNKNOWN', 'the connection was lost before COMMIT was answered', { cause });
}
