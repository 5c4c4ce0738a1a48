import { createDatabase, dropDatabase, startPostgres } from '@waybill/local-postgres';
import type { Cleanup } from '../story/cleanup.ts';

/**
 * A database for one telling of the story. With a given server it is a new one there, which is dropped at the end, so nothing that
 * exists is touched; without one the embedded PostgreSQL starts, and goes with all its data.
 */
export async function stageDatabase(givenUrl: string | undefined, cleanup: Cleanup): Promise<string> {
  if (givenUrl !== undefined) {
    const url = await createDatabase(givenUrl);
    cleanup.defer('drop the database', () => dropDatabase(url));
    return url;
  }
  const server = await startPostgres();
  cleanup.defer('stop PostgreSQL', () => server.stop());
  return createDatabase(server.url);
}
