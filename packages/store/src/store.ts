import type { Database } from './executor.ts';
import { quoteIdentifier } from './identifier.ts';
import { inReadCommitted } from './read-committed.ts';

/** Where the outbox lives: a database and the schema of its tables. */
export interface Store<Native = unknown> {
  readonly database: Database<Native>;
  /** The name as given. */
  readonly schema: string;
  /** The name as statements need it. */
  readonly quoted: string;
}

export interface StoreOptions {
  /** The schema of the tables. Defaults to "waybill". */
  readonly schema?: string;
}

export const DEFAULT_SCHEMA = 'waybill';

/** Names a store; nothing is asked of the database yet. Throws `STO_INVALID_OPTION` for a schema name that PostgreSQL cannot keep. */
export function openStore<Native>(database: Database<Native>, options: StoreOptions = {}): Store<Native> {
  const schema = options.schema ?? DEFAULT_SCHEMA;
  return { database: inReadCommitted(database), schema, quoted: quoteIdentifier(schema) };
}
