import { setTimeout } from 'node:timers/promises';
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
  limitLockWaits,
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

export interface MigrateOptions {
  /**
   * How long a step may wait for a table that others use. Whoever comes after it waits as long, so it is short, and tried again. Defaults to 1 s.
   */
  readonly lockTimeoutMs?: number;
  /** How often it is tried before `STO_MIGRATION_BLOCKED`. Defaults to 60, which is some five minutes. */
  readonly tries?: number;
  /** Told each time that the steps could not get at a table and will be tried again. */
  readonly onBlocked?: (blocked: { readonly tries: number; readonly cause: unknown }) => void;
  /** Waits between two tries. */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

const LOCK_TIMEOUT_MS = 1_000;
const TRIES = 60;
/** Long enough for those who have queued up behind a try to be done before the next one. */
const REST_MS = 4_000;

/**
 * Brings the schema up to date in one transaction: all pending steps or none. Safe to call from many processes at once, and beside services that
 * are at work: it never makes them wait longer than `lockTimeoutMs`, however long somebody else keeps a table.
 * Throws `STO_SCHEMA_AHEAD` when the database is beyond this version, `STO_MIGRATION_FAILED` with the cause when a step does not run, and
 * `STO_MIGRATION_BLOCKED` when somebody keeps a table for too long.
 */
export async function migrate(
  store: Store,
  options: MigrateOptions = {},
): Promise<{ readonly applied: readonly string[] }> {
  const { lockTimeoutMs = LOCK_TIMEOUT_MS, tries = TRIES, onBlocked, sleep = setTimeout } = options;
  for (let tried = 1; ; tried += 1) {
    try {
      return await migrateOnce(store, lockTimeoutMs);
    } catch (cause) {
      if (!isLockTimeout(cause)) throw cause;
      if (tried >= tries) {
        const text = `schema ${store.schema}: somebody kept its tables through ${String(tried)} tries of the migration`;
        throw new StoreError('STO_MIGRATION_BLOCKED', text, { cause });
      }
      onBlocked?.({ tries: tried, cause });
      await sleep(REST_MS);
    }
  }
}

async function migrateOnce(store: Store, lockTimeoutMs: number): Promise<{ readonly applied: readonly string[] }> {
  return store.database.connection((connection) =>
    transaction(connection, async () => {
      await requireSupportedServer(connection);
      await lockMigrations(connection, store);
      // Not before: processes that start together wait for the one that migrates, however long it takes.
      await limitLockWaits(connection, lockTimeoutMs);
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

// https://www.postgresql.org/docs/current/errcodes-appendix.html: lock_not_available. A step wraps it as its cause.
function isLockTimeout(error: unknown): boolean {
  return (
    error instanceof Error &&
    (Reflect.get(error, 'code') === '55P03' || Reflect.get(Object(error.cause), 'code') === '55P03')
  );
}

/** Reads how the schema stands. Writes nothing. Throws `STO_SERVER_TOO_OLD`: the answer would be worth nothing there. */
export async function checkSchema(store: Store, executor: Executor = store.database): Promise<SchemaStatus> {
  await requireSupportedServer(executor);
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
