import { quoteIdentifier } from '../identifier.ts';
import { readMigrations } from '../migrations.ts';
import { createSchema, lockMigrations, runScript, schemaExists } from '../statements/migration.ts';
import type { Store } from '../store.ts';
import { transaction } from '../transaction/transaction.ts';

/**
 * Makes the inbox alone, for a consumer whose database has no outbox. Safe to call at every start and from many processes at once.
 * Where the outbox is, `migrate` has made its inbox already.
 */
export async function installInbox(store: Store): Promise<void> {
  await store.database.connection((connection) =>
    transaction(connection, async () => {
      await lockMigrations(connection, store);
      // "create schema if not exists" wants the right to create one even where it exists.
      if (!(await schemaExists(connection, store))) await createSchema(connection, store);
      await runScript(connection, inboxStep(store.schema));
    }),
  );
}

/** The inbox as a script, for people who apply SQL by their own means. */
export function inboxSql(schema: string): string {
  return `create schema if not exists ${quoteIdentifier(schema)};\n${inboxStep(schema)}`;
}

function inboxStep(schema: string): string {
  const step = readMigrations().find(({ name }) => name === 'inbox');
  if (step === undefined) throw new TypeError('the migration of the inbox is missing');
  return step.sql(schema);
}
