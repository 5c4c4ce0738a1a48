/** Every code that a {@link StoreError} carries, with what it means. A released code is never reused for something else. */
export const STORE_ERROR_CODES = {
  STO_NOT_IN_TRANSACTION: 'the call was given something that is not an open transaction',
  STO_ID_CONFLICT: 'a message with the same id and other content is there already',
  STO_VERSION_UNWRITABLE:
    'a build that would have to read the message could not, an operator holds its version back, or it is retired',
  STO_INVALID_OPTION: 'an option has a form that the store cannot keep',
  STO_MIGRATION_FAILED: 'a migration did not run to its end; nothing of it was kept',
  STO_MIGRATION_BLOCKED: 'somebody kept a table that a migration needs, through every try',
  STO_POSITIONS_BROKEN: 'the sequence of positions would not give growing numbers, and keys would be wedged',
  STO_SCHEMA_AHEAD: 'the database was migrated by a newer version of the store',
  STO_SCHEMA_NOT_READY: 'the schema is not what this version of the store works with',
  STO_CONTRACT_MISMATCH: 'a contract is registered with another kind',
  STO_NEEDS_READ_COMMITTED: 'the call needs a READ COMMITTED transaction, since an older snapshot cannot answer it',
  STO_NO_UNIQUE_KEY: 'no unique constraint or index backs the key that was given',
  STO_ROW_NOT_VISIBLE: 'a row could be neither created nor found: a trigger keeps it away, or the transaction is gone',
  STO_NOT_A_POOL: 'a transaction of the store needs a pool, and got a client or a transaction of the caller',
  STO_ROLLED_BACK: 'a transaction that had failed before was rolled back by its COMMIT',
  STO_COMMIT_UNKNOWN: 'the connection was lost at COMMIT: nobody can tell whether the transaction was committed',
  STO_NO_HINTS:
    'no hint of a new message would arrive: a connection takes LISTEN and delivers nothing, or the server prepares transactions',
  STO_SERVER_TOO_OLD: 'the server is older than PostgreSQL 14',
  STO_UNEXPECTED_ROW: 'the database answered with a row of another shape: the schema has drifted',
} as const;

export type StoreErrorCode = keyof typeof STORE_ERROR_CODES;

/** A bug or a broken surrounding; expected outcomes are values instead. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
