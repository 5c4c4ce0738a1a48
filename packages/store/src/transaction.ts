import type { Connection } from './executor.ts';

/**
 * Runs `fn` between BEGIN and COMMIT on one connection. When `fn` or COMMIT fails, the first error is the one thrown; a ROLLBACK that fails
 * as well means a dead connection, which its database destroys.
 */
export async function transaction<T, Native>(
  connection: Connection<Native>,
  fn: (connection: Connection<Native>) => Promise<T>,
): Promise<T> {
  // Claim, sweep and settlement rely on fresh snapshots, whatever the default of the database is.
  await connection.query('begin isolation level read committed');
  try {
    const result = await fn(connection);
    await connection.query('commit');
    return result;
  } catch (error) {
    await connection.query('rollback').catch((rollbackError: unknown) => {
      if (error instanceof Error && error.cause === undefined) error.cause = rollbackError;
    });
    throw error;
  }
}
