import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { createDatabase, dropDatabase } from './database.ts';

/** What the global set-up of the test run hands to every test file. */
export interface TestServer {
  /** The URL of a superuser on the run's server. */
  readonly url: string;
  /** How the names of the run's databases begin. */
  readonly prefix: string;
  /** The name of a database with our schema, to copy. */
  readonly template: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    readonly testServer: TestServer;
  }
}

/** A database of one test's or test file's own. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

export interface TestDatabaseOptions {
  /** Without our schema. */
  readonly empty?: boolean;
}

/** Creates a database, with our schema unless `empty` is set; `await using` drops it, else the end of the run does. */
export async function testDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const server = inject('testServer');
  const name = `${server.prefix}${randomBytes(6).toString('hex')}`;
  const url = await createDatabase(server.url, options.empty === true ? { name } : { name, template: server.template });
  return { url, [Symbol.asyncDispose]: () => dropDatabase(url) };
}
