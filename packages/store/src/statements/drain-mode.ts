import type { Executor } from '../executor.ts';
import { textOf } from '../row.ts';
import type { Store } from '../store.ts';

/** How the records of a store are handed out: by pull workers in any number of processes, or by one batch drainer. */
export type DrainMode = 'pull' | 'batch';

/** `entered`, or who is still there: the batch drainer of another process, or pull workers. */
export type Entry = 'entered' | DrainMode;

/** Takes or keeps the lease of the batch drainer; it ends by itself when it is not kept. */
export async function enterBatch(
  executor: Executor,
  store: Store,
  { owner, leaseMs }: { readonly owner: string; readonly leaseMs: number },
): Promise<Entry> {
  return entryOf(
    await executor.query(`select ${store.quoted}.enter_batch($1::uuid, $2::bigint) as entry`, [owner, leaseMs]),
  );
}

/** Lets a registered dispatcher have pull workers, for as long as it is seen. */
export async function enterPull(executor: Executor, store: Store, owner: string): Promise<Entry> {
  return entryOf(await executor.query(`select ${store.quoted}.enter_pull($1::uuid) as entry`, [owner]));
}

/** Ends either; to be called when nothing of it is in hand any more. */
export async function leaveDrain(executor: Executor, store: Store, owner: string): Promise<void> {
  await executor.query(`select ${store.quoted}.leave_drain($1::uuid)`, [owner]);
}

function entryOf([row]: readonly Readonly<Record<string, unknown>>[]): Entry {
  const entry = row === undefined ? '' : textOf(row, 'entry');
  if (entry === 'entered' || entry === 'pull' || entry === 'batch') return entry;
  throw new TypeError(`the drain mode answered ${entry}`);
}
