import { openStore, type Store } from '@waybill/store';
import { connectPg } from '@waybill/store/pg';
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import type { CliContext } from './context.ts';
import { type NeededTables, requireTables } from './require-tables.ts';

export interface StoreAccess {
  readonly settings: Pick<Settings, 'schema' | 'database'>;
  /** Bounds each statement. */
  readonly statementTimeoutMs: number;
}

/** Opens the store for one command on one connection, and closes it whatever happens. */
export async function withStore<T>(
  { settings, statementTimeoutMs }: StoreAccess,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const { url, connectTimeoutMs } = settings.database;
  const database = connectPg({ url, max: 1, applicationName: 'waybill/cli', connectTimeoutMs, statementTimeoutMs });
  try {
    return await use(openStore(database, { schema: settings.schema }));
  } finally {
    await database.close();
  }
}

/** The same for the store of the configuration, with its limit for statements, once its tables are those that the command needs. */
export async function withConfiguredStore<T>(
  context: CliContext,
  file: string | undefined,
  use: (store: Store) => Promise<T>,
  needed: NeededTables = 'current',
): Promise<T> {
  return withUncheckedStore(context, file, async (store) => {
    await requireTables(store, needed);
    return use(store);
  });
}

/** The same, whatever its tables are. */
export async function withUncheckedStore<T>(
  context: CliContext,
  file: string | undefined,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const { settings } = await loadSettings({ ...context, file }, ['database.url']);
  return withStore({ settings, statementTimeoutMs: settings.database.statementTimeoutMs }, use);
}
