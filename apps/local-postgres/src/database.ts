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

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.href;
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
