/**
 * - `PGL_NO_BINARIES`: no PostgreSQL binaries are installed for this platform.
 * - `PGL_INITDB_FAILED`: the data directory could not be made; the message carries the output of `initdb`.
 * - `PGL_START_FAILED`: the server ended before it was ready; the message carries its log.
 * - `PGL_START_TIMEOUT`: the server was not ready in time; the message carries its log.
 */
export type LocalPostgresErrorCode = 'PGL_NO_BINARIES' | 'PGL_INITDB_FAILED' | 'PGL_START_FAILED' | 'PGL_START_TIMEOUT';

/** The surroundings do not let us run a PostgreSQL server. `code` is stable, the message is for people. */
export class LocalPostgresError extends Error {
  override readonly name = 'LocalPostgresError';
  readonly code: LocalPostgresErrorCode;

  constructor(code: LocalPostgresErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
