import { checkSchema, GENERATION, type SchemaStatus, type Store, schemaGeneration } from '@waybill/store';
import { SchemaNotReadyError } from '../loop/session.ts';

/** `current`: those of this version. `any-generation`: those without record keys too, from before the migration. */
export type NeededTables = 'current' | 'any-generation';

/**
 * Keeps a command from tables that mean something else than it takes them for: an answer about them would be a guess, and a change damage.
 * Throws `DSP_SCHEMA_NOT_READY`.
 */
export async function requireTables(store: Store, needed: NeededTables): Promise<void> {
  const schema = await checkSchema(store);
  if (schema.status === 'ready') return;
  if (needed === 'any-generation' && (await isOlderGeneration(store, schema))) return;
  throw new SchemaNotReadyError(
    `the tables of the schema ${store.schema} are not ready (${schema.status}): see waybill schema doctor`,
  );
}

/** Tables that dispatchers work with, although steps are missing: their generation has its own drainer. */
export async function isOlderGeneration(store: Store, { status }: SchemaStatus): Promise<boolean> {
  return status === 'behind' && (await schemaGeneration(store)) < GENERATION;
}
