import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';

export interface CreateDatabaseOptions {
  /** By default a name nobody else has. */
  readonly name?: string;
  /** The database to copy; nobody may be connected to it. */
  readonly template?: string;
}

/** Creates a database on the server that `serverUrl` reaches and returns its URL. */
export async function createDatabase(serverUrl: string, options: CreateDatabaseOptions = {}): Promise<string> {
  const name = options.name ?? `waybill_${randomBytes(8).toString('hex')}`;
  const template = options.template === undefined ? '' : ` template ${escapeIdentifier(options.template)}`;
  await execute(serverUrl, `create database ${escapeIdentifier(name)}${template}`);
  return databaseUrl(serverUrl, name);
}

/** Drops the database that `url` names, with the connections to it; one that is gone already is fine. */
export async function dropDatabase(url: string): Promise<void> {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  await execute(databaseUrl(url, 'postgres'), `drop database if exists ${escapeIdentifier(name)} with (force)`);
}

/** Drops every database of the server whose name begins with `prefix`. */
export async function dropDatabases(serverUrl: string, prefix: string): Promise<void> {
  const rows = await execute(serverUrl, 'select datname from pg_database where starts_with(datname, $1)', [prefix]);
  for (const row of rows) await dropDatabase(databaseUrl(serverUrl, String(row['datname'])));
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.href;
}

type Rows = readonly Readonly<Record<string, unknown>>[];

async function execute(url: string, statement: string, values: readonly unknown[] = []): Promise<Rows> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const result = await client.query<Record<string, unknown>>(statement, [...values]);
    return result.rows;
  } finally {
    await client.end();
  }
}
