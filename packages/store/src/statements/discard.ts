import type { Executor } from '../executor.ts';
import { textOf } from '../row.ts';
import type { Store } from '../store.ts';

/** Closes a dead letter and lets go the key that it held. False: it was not open any more. */
export async function discardDeadLetter(
  executor: Executor,
  store: Store,
  { deadLetter, actor, reason }: { readonly deadLetter: string; readonly actor: string; readonly reason: string },
): Promise<boolean> {
  const [row] = await executor.query(
    `select case when ${store.quoted}.discard($1::bigint, $2, $3) then 'yes' else 'no' end as discarded`,
    [deadLetter, actor, reason],
  );
  return row !== undefined && textOf(row, 'discarded') === 'yes';
}
