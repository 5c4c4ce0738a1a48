import type { Tally } from '../process/tally.ts';

/** Whether a load came through as promised. */
export interface Verdict {
  readonly lost: number;
  /** Handlings beyond the first. */
  readonly repeated: number;
  readonly outOfOrder: number;
}

/** Merges what all consuming processes have seen. */
export function verdictOf(tallies: readonly Tally[], count: number): Verdict {
  let lost = 0;
  let repeated = 0;
  for (let n = 0; n < count; n += 1) {
    const times = tallies.reduce((sum, tally) => sum + (tally.times[n] ?? 0), 0);
    if (times === 0) lost += 1;
    else repeated += times - 1;
  }
  // One process sees the whole of a key; of several, each sees a part, and gaps say nothing.
  const outOfOrder = tallies.length === 1 ? (tallies[0]?.outOfOrder ?? 0) : 0;
  return { lost, repeated, outOfOrder };
}
