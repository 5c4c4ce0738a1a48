import { checkSchema, type SchemaStatus } from '../migrate.ts';
import { readMigrations } from '../migrations.ts';
import { integerOf, textOf } from '../row.ts';
import { readCatalog } from '../statements/catalog.ts';
import { appliedMigrations } from '../statements/migration.ts';
import { readPositionState } from '../statements/position-state.ts';
import type { Store } from '../store.ts';
import { transaction } from '../transaction/transaction.ts';
import { compareCatalogs, type Drift } from './compare-catalogs.ts';
import { expectedCatalog } from './expected-catalog.ts';
import { positionProblems } from './positions.ts';

/** What is wrong with a schema, or what keeps us from telling. */
export type Finding =
  | Drift
  /** Steps that are not applied, or steps of a newer version that this one cannot work with. */
  | {
      readonly kind: 'steps';
      readonly status: Exclude<SchemaStatus['status'], 'ready'>;
      readonly steps: readonly string[];
    }
  /** An applied step had another text than it has in this version. */
  | { readonly kind: 'edited-step'; readonly step: string }
  /** New positions would not be above all others. */
  | { readonly kind: 'positions'; readonly problem: string };

export interface Diagnosis {
  readonly status: SchemaStatus['status'];
  /** False when a newer version has added steps: what they made is not known here, so objects were not compared. */
  readonly compared: boolean;
  /** Empty when the schema is what this version expects. */
  readonly findings: readonly Finding[];
}

/** Compares the live schema with what this version expects: steps, tables, indexes, functions, triggers, and the sequence of positions. Writes nothing. */
export async function doctor(store: Store): Promise<Diagnosis> {
  const status = await checkSchema(store);
  if (status.status !== 'ready') {
    const steps = status.status === 'ahead' ? status.unknown : status.pending;
    return { status: status.status, compared: false, findings: [{ kind: 'steps', status: status.status, steps }] };
  }
  return store.database.connection((connection) =>
    transaction(connection, async () => {
      const known = readMigrations();
      const applied = await appliedMigrations(connection, store);
      const edited = known.filter((step) =>
        applied.some((row) => integerOf(row, 'number') === step.number && textOf(row, 'checksum') !== step.checksum),
      );
      const compared = applied.length === known.length;
      const positions = positionProblems(await readPositionState(connection, store), store.quoted);
      const drift = compared ? compareCatalogs(expectedCatalog(), await readCatalog(connection, store)) : [];
      return {
        status: 'ready' as const,
        compared,
        findings: [
          ...edited.map(({ name }) => ({ kind: 'edited-step' as const, step: name })),
          ...drift,
          ...positions.map((problem) => ({ kind: 'positions' as const, problem })),
        ],
      };
    }),
  );
}
