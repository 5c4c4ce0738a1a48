import { StoreError } from '../errors.ts';
import { schemaGeneration } from '../generations/generation.ts';
import { writersBehind } from '../generations/writers-behind.ts';
import {
  countKeylessLive,
  currentOverride,
  databaseTime,
  type GateOverride,
  insertOverride,
} from '../statements/pull-facts.ts';
import type { Store } from '../store.ts';
import { type OperatorOptions, operate } from './audit.ts';
import { auditSome } from './audit-waiting.ts';
import type { Operator } from './operator.ts';

/** What the store says to the question whether pull workers may run. */
export interface PullGateFacts {
  readonly generation: 1 | 2;
  /** Live records without a key, counted up to a thousand. */
  readonly keylessLive: number;
  /** Who writes without keys although the tables have them, in words. */
  readonly writersBehind: readonly string[];
  /** Records that wait behind nobody, among the first five thousand keys. */
  readonly stranded: number;
  readonly override: GateOverride | null;
  /** By the database's clock. */
  readonly checkedAt: Date;
}

/** The gate asks whether there are any; a number beyond this one says no more. */
const MOST_KEYLESS = 1_000;

/** Reads the facts of the gate. Its cost is bounded, so it can be asked every minute. Throws `STO_SCHEMA_NOT_READY` where there are no tables. */
export async function pullGateFacts(store: Store): Promise<PullGateFacts> {
  const generation = await schemaGeneration(store);
  const checkedAt = await databaseTime(store.database);
  if (generation === 1)
    return { generation, keylessLive: 0, writersBehind: [], stranded: 0, override: null, checkedAt };
  const { writers, keyless } = await writersBehind(store);
  return {
    generation,
    keylessLive: await countKeylessLive(store.database, store, MOST_KEYLESS),
    writersBehind: [
      ...writers.map(({ build, generation: known }) => `${build} is running and knows generation ${known} only`),
      ...keyless.map(({ type, version, count }) => `${count} messages ${type}@${version} were written without a key`),
    ],
    stranded: (await auditSome(store, '')).waiting.length,
    override: await currentOverride(store.database, store),
    checkedAt,
  };
}

/** The longest time that somebody may take responsibility for at once; whoever needs longer decides again. */
const MAX_OVERRIDE_MS = 30 * 86_400_000;

/**
 * Lets pull workers pass their red gate until a moment, on somebody's responsibility. Audited in the same transaction.
 * Throws `STO_INVALID_OPTION` without an actor or a reason, or with a moment that is past or more than thirty days ahead of `now`.
 */
export async function overridePullGate<Native>(
  store: Store<Native>,
  { until, now }: { readonly until: Date; readonly now: Date },
  by: Operator,
  options: OperatorOptions<Native> = {},
): Promise<void> {
  const aheadMs = until.getTime() - now.getTime();
  if (!(aheadMs > 0 && aheadMs <= MAX_OVERRIDE_MS))
    throw new StoreError(
      'STO_INVALID_OPTION',
      `until: expected a moment within the next 30 days, got ${String(until)}`,
    );
  await operate(store, by, options, async ({ tx, record }) => {
    await insertOverride(tx, store, { ...by, until });
    const selection = { gate: 'pull-worker' };
    await record({
      action: 'override-gate',
      what: { messages: [], selection },
      before: [],
      after: { until: until.toISOString() },
    });
  });
}
