import type { Executor } from '../executor.ts';
import { textOf } from '../row.ts';
import type { Store } from '../store.ts';

/** Where a replayed message stands in its key: at its old place, which the key had kept; at the head of it; behind others. */
export type ReplayPlace = 'held' | 'ready' | 'waiting';

const PLACES: Readonly<Record<string, ReplayPlace>> = { held: 'held', ready: 'ready', waiting: 'waiting' };

/**
 * Replays those of the dead letters that are open, and gives where each stands now. Needs READ COMMITTED. `patient`: wait for the guards of
 * their keys; otherwise a message whose guard is taken stays dead and is not among the answers.
 */
export async function replayDeadLetters(
  executor: Executor,
  store: Store,
  { deadLetters, patient }: { readonly deadLetters: readonly string[]; readonly patient: boolean },
): Promise<ReadonlyMap<string, ReplayPlace>> {
  const rows = await executor.query(
    `select dead_letter::text as dead_letter, place from ${store.quoted}.replay($1::bigint[], $2::boolean)`,
    [deadLetters, patient],
  );
  return new Map(rows.map((row) => [textOf(row, 'dead_letter'), PLACES[textOf(row, 'place')] ?? 'waiting']));
}
