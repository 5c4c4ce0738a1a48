import type { Executor } from '../executor.ts';
import { integerOf, textOf, textOrNull } from '../row.ts';
import type { Store } from '../store.ts';

/** What one look at a range of keys found. */
export interface WaitingFindings {
  /** The last key looked at; null when there are no more. */
  readonly lastKey: string | null;
  /** Positions of rows that waited behind nobody. */
  readonly waiting: readonly string[];
  /** Positions of tombstones that no open dead letter answers for. */
  readonly orphaned: readonly string[];
  readonly healed: number;
}

/** Looks at up to `most` keys after a key, and heals what it finds. Needs READ COMMITTED. */
export async function auditKeys(
  executor: Executor,
  store: Store,
  { afterKey, most }: { readonly afterKey: string; readonly most: number },
): Promise<WaitingFindings> {
  const [row] = await executor.query(
    `select last_key, array_to_string(waiting, ',') as waiting, array_to_string(orphaned, ',') as orphaned, healed
     from ${store.quoted}.audit_waiting($1, $2::integer)`,
    [afterKey, most],
  );
  if (row === undefined) throw new TypeError('an audit answered without a row');
  return {
    lastKey: textOrNull(row, 'last_key'),
    waiting: listOf(textOf(row, 'waiting')),
    orphaned: listOf(textOf(row, 'orphaned')),
    healed: integerOf(row, 'healed'),
  };
}

function listOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(',');
}
