import { StoreError } from './errors.ts';
import type { Executor } from './executor.ts';
import { type Migration, readMigrations } from './migrations.ts';
import { integerOf, textOf } from './row.ts';
import { requireSupportedServer } from './server-version.ts';
import {
  appliedMigrations,
  applyMigration,
  createMigrationTable,
  createSchema,
  lockMigrations,
  migrationTableExists,
  schemaExists,
} from './statements/migration.ts';
import type { Store } from './store.ts';
import { transaction } from './transaction/transaction.ts';

/** How the database's schema stands to what this version of the store expects. */
export type SchemaStatus =
  | { readonly status: 'ready' }
  /** Nothing is there yet: run `migrate`, or wait for whoever does. */
  | { readonly status: 'absent'; readonly pending: readonly string[] }
  | { readonly status: 'behind'; readonly pending: readonly string[] }
  /** A newer store has applied a step that this one may not work with. Steps that are not breaking are fine: builds of two ages run side by side. */
  | { readonly status: 'ahead'; readonly unknown: readonly string[] };

interface AppliedStep {
  readonly number: number;
  readonly name: string;
  readonly breaking: boolean;
}

/**
 * Brings the schema up to date in one transaction: all pending steps or none. Safe to call from many processes at once.
 * Throws `STO_SCHEMA_AHEAD` when the database is beyond this version, `STO_MIGRATION_FAILED` with the cause when a step does not run.
 */
export async function migrate(store: Store): Promise<{ readonly applied: readonly string[] }> {
  return store.database.connection((connection) =>
    transaction(connection, async () => {
      await requireSupportedServer(connection);
      await lockMigrations(connection, store);
      if (!(await schemaExists(connection, store))) await createSchema(connection, store);
      await createMigrationTable(connection, store);
      const known = readMigrations();
      const before = await readApplied(connection, store);
      const verdict = compareSchema(known, before);
      if (verdict.status === 'ahead') {
        throw new StoreError(
          'STO_SCHEMA_AHEAD',
          `schema ${store.schema} has breaking steps of a newer version: ${verdict.unknown.join(', ')}`,
        );
      }
      const pending = known.filter((step) => !before.some((applied) => applied.number === step.number));
      for (const step of pending) await applyStep(connection, store, step);
      return { applied: pending.map(({ name }) => name) };
    }),
  );
}

/** Reads how the schema stands. Writes nothing. */
export async function checkSchema(store: Store, executor: Executor = store.database): Promise<SchemaStatus> {
  const known = readMigrations();
  if (!(await migrationTableExists(executor, store)))
    return { status: 'absent', pending: known.map(({ name }) => name) };
  return compareSchema(known, await readApplied(executor, store));
}

/** Throws `STO_SCHEMA_NOT_READY` unless the schema is what this version works with. Writes nothing. */
export async function requireReadySchema(store: Store): Promise<void> {
  const { status } = await checkSchema(store);
  if (status !== 'ready')
    throw new StoreError('STO_SCHEMA_NOT_READY', `schema ${store.schema} is ${status}: ${SCHEMA_ADVICE[status]}`);
}

const SCHEMA_ADVICE: Readonly<Record<Exclude<SchemaStatus['status'], 'ready'>, string>> = {
  absent: 'the migration has not run yet',
  behind: 'the migration to this version has not run yet',
  ahead: 'a newer version has made a change that this build cannot work with; deploy a newer build',
};

/** Decides from what is known and what was applied. */
export function compareSchema(known: readonly Migration[], applied: readonly AppliedStep[]): SchemaStatus {
  const unknown = applied.filter((step) => step.breaking && !known.some(({ number }) => number === step.number));
  if (unknown.length > 0) return { status: 'ahead', unknown: unknown.map(({ name }) => name) };
  const pending = known.filter((step) => !applied.some(({ number }) => number === step.number)).map(({ name }) => name);
  return pending.length === 0 ? { status: 'ready' } : { status: 'behind', pending };
}

async function applyStep(executor: Executor, store: Store, step: Migration): Promise<void> {
  try {
    await applyMigration(executor, store, step);
  } catch (cause) {
    throw new StoreError(
      'STO_MIGRATION_FAILED',
      `migration ${step.name} of schema ${store.schema} failed and was rolled back`,
      { cause },
    );
  }
}

async function readApplied(executor: Executor, store: Store): Promise<readonly AppliedStep[]> {
  const rows = await appliedMigrations(executor, store);
  return rows.map((row) => ({
    number: integerOf(row, 'number'),
    name: textOf(row, 'name'),
    breaking: textOf(row, 'breaking') === 'yes',
  }));
}
