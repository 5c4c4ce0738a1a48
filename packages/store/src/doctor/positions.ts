import { StoreError } from '../errors.ts';
import type { Executor } from '../executor.ts';
import { type PositionState, readPositionState } from '../statements/position-state.ts';
import type { Store } from '../store.ts';

/** Why new positions would not be above all others, each with what mends it. Empty when all is well. */
export function positionProblems(state: PositionState, quoted: string): readonly string[] {
  const { cache, lastPosition, highestInUse } = state;
  return [
    ...(cache === 1n ? [] : [`it has CACHE ${String(cache)}: alter sequence ${quoted}.position_seq cache 1`]),
    ...(lastPosition >= highestInUse
      ? []
      : [
          `it stands at ${String(lastPosition)}, below position ${String(highestInUse)}: select setval('${quoted.replaceAll("'", "''")}.position_seq', ${String(highestInUse)})`,
        ]),
  ];
}

/**
 * Checked before a first claim or enqueue, since a sequence that was changed, restored or left behind by a switch-over wedges keys in silence.
 * Throws `STO_POSITIONS_BROKEN` with what mends it.
 */
export async function requireSoundPositions(store: Store, executor: Executor = store.database): Promise<void> {
  const problems = positionProblems(await readPositionState(executor, store), store.quoted);
  if (problems.length > 0)
    throw new StoreError('STO_POSITIONS_BROKEN', `the sequence of positions is broken: ${problems.join('; ')}`);
}
