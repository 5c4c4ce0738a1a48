import type { Handled } from '../services/service.ts';

/** What the story counts while it happens; the comparison at the end does not rest on it, but for the rolled-back messages. */
export interface Tally {
  note(handled: Handled): void;
  noteWaiting(ids: readonly string[]): void;
  readonly committed: () => number;
  /** Messages whose transaction was rolled back: no table can know of them. */
  readonly rolledBack: () => number;
  /** Distinct records that were seen waiting for a reader. */
  readonly waitedForReader: () => number;
}

export function createTally(): Tally {
  const counts: Record<Handled['outcome'], number> = { committed: 0, 'rolled-back': 0 };
  const waited = new Set<string>();
  return {
    note: ({ outcome, messages }) => {
      counts[outcome] += messages.length;
    },
    noteWaiting: (ids) => {
      for (const id of ids) waited.add(id);
    },
    committed: () => counts.committed,
    rolledBack: () => counts['rolled-back'],
    waitedForReader: () => waited.size,
  };
}
