import { inject } from 'vitest';
import { createDatabase, dropDatabase } from './database.ts';

/** What the global set-up of the test run hands to every test file. */
export interface TestServer {
  /** The URL of a superuser on the run's server. */
  readonly url: string;
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
  const url = await createDatabase(server.url, options.empty === true ? {} : { template: server.template });
  return { url, [Symbol.asyncDispose]: () => dropDatabase(url) };
}
