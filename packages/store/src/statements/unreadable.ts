import type { Executor } from '../executor.ts';
import { textOf } from '../row.ts';
import type { Store } from '../store.ts';

/**
 * Notes that a build could not read a message that it claims to read. Gives whether nobody can: this build has failed on it before, so that others had
 * their turn, and every other live build that claims the contract has failed on it too.
 */
export async function noteUnreadable(
  store: Store,
  {
    seq,
    contractId,
    build,
    why,
  }: { readonly seq: string; readonly contractId: number; readonly build: string; readonly why: string },
  executor: Executor = store.database,
): Promise<boolean> {
  const [row] = await executor.query(
    `select case when ${store.quoted}.note_unreadable($1::bigint, $2::integer, $3, $4) then 'yes' else 'no' end as nobody`,
    [seq, contractId, build, why],
  );
  return row !== undefined && textOf(row, 'nobody') === 'yes';
}

/** A dispatcher turned out not to read a contract: it is no reader of it any more, for writers and gates too, and the registry says so. */
export async function giveUpContract(
  store: Store,
  { id, contractId }: { readonly id: string; readonly contractId: number },
  executor: Executor = store.database,
): Promise<void> {
  await executor.query(
    `update ${store.quoted}.dispatcher
     set capabilities = array_remove(capabilities, $2::integer), unreadable = array_remove(unreadable, $2::integer) || $2::integer
     where id = $1::uuid`,
    [id, contractId],
  );
}
