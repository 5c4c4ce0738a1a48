import type { Executor } from '../executor.ts';
import { textOf } from '../row.ts';
import type { Store } from '../store.ts';

/** The sequence of positions beside the positions in use. */
export interface PositionState {
  /** How many numbers a session takes at once. */
  readonly cache: bigint;
  readonly lastPosition: bigint;
  readonly highestInUse: bigint;
}

export async function readPositionState(executor: Executor, store: Store): Promise<PositionState> {
  const [row] = await executor.query(
    `select cache::text as cache, last_position::text as last_position, highest_in_use::text as highest_in_use
     from ${store.quoted}.position_state()`,
  );
  if (row === undefined) throw new TypeError('a function with OUT parameters answered without a row');
  return {
    cache: BigInt(textOf(row, 'cache')),
    lastPosition: BigInt(textOf(row, 'last_position')),
    highestInUse: BigInt(textOf(row, 'highest_in_use')),
  };
}
