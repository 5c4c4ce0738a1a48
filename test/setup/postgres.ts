import { randomBytes } from 'node:crypto';
import { dropDatabases, type StartPostgresOptions, startPostgres } from '@waybill/local-postgres';
import type { TestServer } from '@waybill/local-postgres/vitest';
import type { TestProject } from 'vitest/node';
import { migratedDatabase } from './template.ts';

/** What only speeds tests up: none of these databases survives its run, let alone a power failure. */
const THROWAWAY = { fsync: 'off', full_page_writes: 'off' };
/** Every test file has pools of its own, and two files run at once. */
const ROOMY = { max_connections: '300' };

/**
 * One server for the run, with a migrated template that `testDatabase()` copies. DATABASE_URL names a superuser on a
 * server to use instead of our own, for instance one of another PostgreSQL version.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['DATABASE_URL'];
  if (given === undefined) return provideServer(project, {});
  const prefix = runPrefix();
  project.provide('testServer', await testServer(given, prefix));
  return () => dropDatabases(given, prefix);
}

/** Starts a server for the tests of `project`, and gives what stops it. */
export async function provideServer(
  project: TestProject,
  options: Pick<StartPostgresOptions, 'installation'>,
): Promise<() => Promise<void>> {
  const prefix = runPrefix();
  const server = await startPostgres({ ...options, settings: { ...THROWAWAY, ...ROOMY } });
  try {
    project.provide('testServer', await testServer(server.url, prefix));
  } catch (error) {
    await server.stop();
    throw error;
  }
  return () => server.stop();
}

const runPrefix = (): string => `waybill_test_${randomBytes(4).toString('hex')}_`;

async function testServer(url: string, prefix: string): Promise<TestServer> {
  return { url, prefix, template: await migratedDatabase(url, `${prefix}template`) };
}
