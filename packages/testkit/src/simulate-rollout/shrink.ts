import type { RolloutStep } from './step.ts';

/** Leaves out as much of a schedule as it can while it still fails the same way: first halves, then less, at last single steps. */
export async function shrink(
  schedule: readonly RolloutStep[],
  failsAlike: (schedule: readonly RolloutStep[]) => Promise<boolean>,
): Promise<readonly RolloutStep[]> {
  let smallest = schedule;
  for (let size = Math.ceil(smallest.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < smallest.length; ) {
      const shorter = [...smallest.slice(0, at), ...smallest.slice(at + size)];
      if (await failsAlike(shorter)) smallest = shorter;
      else at += size;
    }
  }
  return smallest;
}
