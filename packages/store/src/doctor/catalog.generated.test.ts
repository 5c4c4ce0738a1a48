import { createDatabase, startPostgres } from '@waybill/local-postgres';
import { afterAll, expect, test } from 'vitest';

import { dumpSchema } from '../../test/schema-dump.ts';
import { openSession } from '../../test/session.ts';
import { migrate } from '../migrate.ts';
import { readCatalog } from '../statements/catalog.ts';
import { openStore } from '../store.ts';
import { transaction } from '../transaction/transaction.ts';

const server = await startPostgres();
const session = await openSession(await createDatabase(server.url));
afterAll(async () => {
  await session.close();
  await server.stop();
});
const store = openStore(session);
await migrate(store);

// `npx vitest run --project generated -u` writes the files anew after a change of the migrations.
test('S07: sql/catalog.json says what the migrations make', async () => {
  const catalog = await transaction(session, (connection) => readCatalog(connection, store));
  await expect(`${JSON.stringify(catalog, null, 2)}\n`).toMatchFileSnapshot('../../sql/catalog.json');
});

test('S07: schemas/database.sql shows the finished schema', async () => {
  const dump = await transaction(session, (connection) => dumpSchema(connection, store));
  await expect(dump).toMatchFileSnapshot('../../../../schemas/database.sql');
});
