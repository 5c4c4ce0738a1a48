import { schemaGeneration } from '../generations/generation.ts';
import { auditKeys, type WaitingFindings } from '../statements/audit-waiting.ts';
import type { Store } from '../store.ts';
import { transaction } from '../transaction/transaction.ts';

/** What the audit of waiting rows found. All numbers are 0 in a healthy store; anything else is a bug of ours to report. */
export interface WaitingAudit {
  /** Live rows that waited behind nobody, and so for ever. */
  readonly waiting: number;
  /** Keys held by a dead letter that is no longer open. */
  readonly orphaned: number;
  readonly healed: number;
  /** A few of their positions. */
  readonly sample: readonly string[];
}

// Each key costs one probe of an index; a batch stays within some tens of milliseconds.
const KEYS_PER_BATCH = 5_000;
const MAX_SAMPLE = 10;

/**
 * Looks at the first live row of every key, heals what would wait for ever, and says so. Its cost follows the number of keys with live rows,
 * not how deep they are. For now and then (every few minutes), by one process.
 */
export async function auditWaiting(store: Store): Promise<WaitingAudit> {
  let audit: WaitingAudit = { waiting: 0, orphaned: 0, healed: 0, sample: [] };
  let afterKey: string | null = '';
  while (afterKey !== null) {
    const from: string = afterKey;
    const found = await auditSome(store, from);
    audit = {
      waiting: audit.waiting + found.waiting.length,
      orphaned: audit.orphaned + found.orphaned.length,
      healed: audit.healed + found.healed,
      sample: [...audit.sample, ...found.waiting, ...found.orphaned].slice(0, MAX_SAMPLE),
    };
    afterKey = found.lastKey;
  }
  return audit;
}

/**
 * One step of the audit: looks at 5,000 keys after the given one ('' at first). For a caller that walks on by `lastKey`, a step at a time. Tables without
 * record keys have nothing to audit: nothing waits behind anything there.
 */
export function auditSome(store: Store, afterKey: string): Promise<WaitingFindings> {
  return store.database.connection(async (connection) =>
    (await schemaGeneration(store, connection)) === 1
      ? { lastKey: null, waiting: [], orphaned: [], healed: 0 }
      : transaction(connection, (tx) => auditKeys(tx, store, { afterKey, most: KEYS_PER_BATCH })),
  );
}
