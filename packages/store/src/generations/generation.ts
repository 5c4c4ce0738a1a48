import { StoreError } from '../errors.ts';
import type { Executor } from '../executor.ts';
import { probeColumns } from '../statements/generation-probe.ts';
import type { Store } from '../store.ts';

/** A generation of the tables: 1 has no record keys, 2 has. */
export type Generation = 1 | 2;

/** The newest generation that this version of the store knows. */
export const GENERATION: Generation = 2;

/**
 * Which generation the tables are, by their columns and not by what was noted about them. Ask anew each time: a migration may come between.
 * Enqueue need not ask, since it calls a function that the migration replaces. Throws `STO_SCHEMA_NOT_READY` where there are no tables.
 */
export async function schemaGeneration(store: Store, executor: Executor = store.database): Promise<Generation> {
  const { tables, keys } = await probeColumns(executor, store);
  if (!tables) throw new StoreError('STO_SCHEMA_NOT_READY', `schema ${store.schema} has no outbox tables`);
  return keys ? 2 : 1;
}
