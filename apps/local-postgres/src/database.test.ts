import { testDatabase } from '@waybill/local-postgres/vitest';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { createDatabase, dropDatabase, dropDatabases } from './database.ts';

async function namesLike(url: string, pattern: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const result = await client.query<{ datname: string }>('select datname from pg_database where datname like $1', [
      pattern,
    ]);
    return result.rows.map((row) => row.datname);
  } finally {
    await client.end();
  }
}

test('a database of one test has our schema, unless it is to be empty', async () => {
  await using migrated = await testDatabase();
  await using empty = await testDatabase({ empty: true });
  const schemas = async (url: string): Promise<unknown> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query("select to_regnamespace('waybill') is not null as present")).rows;
    } finally {
      await client.end();
    }
  };
  expect(await schemas(migrated.url)).toEqual([{ present: true }]);
  expect(await schemas(empty.url)).toEqual([{ present: false }]);
});

test('a name with quotes and spaces is created, reached and dropped, with those connected to it', async () => {
  await using database = await testDatabase({ empty: true });
  const name = `odd "name" with %20 ${new URL(database.url).pathname.slice(-6)}`;
  const url = await createDatabase(database.url, { name });
  const witness = new Client({ connectionString: url });
  const dropped = new Promise((resolve) => witness.on('error', resolve));
  await witness.connect();
  expect((await witness.query('select current_database() as name')).rows).toEqual([{ name }]);
  await dropDatabase(url);
  await dropped;
  await dropDatabase(url);
  expect(await namesLike(database.url, 'odd%')).toEqual([]);
});

test('dropping by prefix takes all of that prefix and no other', async () => {
  await using database = await testDatabase({ empty: true });
  const prefix = `prefix_${new URL(database.url).pathname.slice(-6)}`;
  for (const suffix of ['_a', '_b']) await createDatabase(database.url, { name: prefix + suffix });
  const other = await createDatabase(database.url, { name: `other_${prefix}` });
  await dropDatabases(database.url, `${prefix}_`);
  expect(await namesLike(database.url, `%${prefix}%`)).toEqual([`other_${prefix}`]);
  await dropDatabase(other);
});
