import type { Connection } from '../executor.ts';
import { commit } from './commit.ts';

// Claim, sweep and settlement rely on fresh snapshots, whatever the default of the database is.
const READ_COMMITTED = 'begin isolation level read committed';

/**
 * Runs `fn` between BEGIN and COMMIT on one connection. When `fn` fails, its error is the one thrown; a ROLLBACK that fails as well means a dead
 * connection, which its database destroys. Throws as {@link commit} does.
 */
export async function transaction<T, Native>(
  connection: Connection<Native>,
  fn: (connection: Connection<Native>) => Promise<T>,
  begin: string = READ_COMMITTED,
): Promise<T> {
  await connection.query(begin);
  const result = await fn(connection).catch(async (error: unknown) => {
    await connection.query('rollback').catch((rollbackError: unknown) => {
      if (error instanceof Error && error.cause === undefined) error.cause = rollbackError;
    });
    throw error;
  });
  await commit(connection);
  return result;
}
