import type { Executor, Row } from '../executor.ts';
import { type Migration, migrationTableSql } from '../migrations.ts';
import type { Store } from '../store.ts';

/** Processes that start together migrate one after the other. The lock belongs to the transaction, so that a pooler may sit in between. */
export async function lockMigrations(executor: Executor, store: Store): Promise<void> {
  await executor.query(`select pg_advisory_xact_lock(hashtextextended('waybill migrations of ' || $1, 0))`, [
    store.schema,
  ]);
}

/** Bounds every wait for a lock in the transaction that is open. */
export async function limitLockWaits(executor: Executor, ms: number): Promise<void> {
  await executor.query(`select set_config('lock_timeout', $1, true)`, [`${String(ms)}ms`]);
}

export async function schemaExists(executor: Executor, store: Store): Promise<boolean> {
  const rows = await executor.query('select 1 from pg_catalog.pg_namespace where nspname = $1', [store.schema]);
  return rows.length > 0;
}

export async function createSchema(executor: Executor, store: Store): Promise<void> {
  await executor.query(`create schema if not exists ${store.quoted}`);
}

export async function createMigrationTable(executor: Executor, store: Store): Promise<void> {
  await executor.query(migrationTableSql(store.quoted));
}

export async function migrationTableExists(executor: Executor, store: Store): Promise<boolean> {
  const rows = await executor.query(
    `select 1 from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = 'migration'`,
    [store.schema],
  );
  return rows.length > 0;
}

/** Applied steps: number, name, checksum, and breaking as yes or no. */
export async function appliedMigrations(executor: Executor, store: Store): Promise<readonly Row[]> {
  return executor.query(
    `select number, name, checksum, case when breaking then 'yes' else 'no' end as breaking from ${store.quoted}.migration order by number`,
  );
}

export async function applyMigration(executor: Executor, store: Store, migration: Migration): Promise<void> {
  await runScript(executor, migration.sql(store.schema));
  await executor.query(
    `insert into ${store.quoted}.migration (number, name, breaking, checksum) values ($1::integer, $2, $3::boolean, $4)`,
    [migration.number, migration.name, migration.breaking, migration.checksum],
  );
}

/** Runs a script of several statements, which therefore takes no parameters. */
export async function runScript(executor: Executor, script: string): Promise<void> {
  await executor.query(script);
}
