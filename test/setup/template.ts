import { createDatabase } from '@waybill/local-postgres';
import { migrate, openStore } from '@waybill/store';
import { connectPg } from '@waybill/store/pg';

/** Creates a database with our schema and leaves no connection to it, so that it can be copied. Returns its name. */
export async function migratedDatabase(serverUrl: string, name: string): Promise<string> {
  const database = connectPg({ url: await createDatabase(serverUrl, { name }) });
  try {
    await migrate(openStore(database));
  } finally {
    await database.close();
  }
  return name;
}
