import type { State } from './state.ts';

/** What one delivery left and a repeated one did not, or the other way round. */
export interface Difference {
  /** The table or sequence. */
  readonly where: string;
  /** Rows or values after one delivery that are not there after the repeat. */
  readonly onlyOnce: readonly string[];
  /** Rows or values that only the repeat left. */
  readonly onlyRepeated: readonly string[];
}

/** Compares what one delivery left with what repeated ones left. */
export function compareStates(once: State, repeated: State): readonly Difference[] {
  const tables = once.tables.map(({ table, rows }, index) =>
    difference(table, rows, repeated.tables[index]?.rows ?? []),
  );
  const sequences = once.sequences.map(({ sequence, lastValue }, index) =>
    difference(sequence, [lastValue], [repeated.sequences[index]?.lastValue ?? '']),
  );
  return [...tables, ...sequences].filter(({ onlyOnce, onlyRepeated }) => onlyOnce.length + onlyRepeated.length > 0);
}

function difference(where: string, once: readonly string[], repeated: readonly string[]): Difference {
  return { where, onlyOnce: without(once, repeated), onlyRepeated: without(repeated, once) };
}

/** The entries of one list that the other has not, each as often as it is missing. */
function without(list: readonly string[], other: readonly string[]): readonly string[] {
  const left = [...other];
  return list.filter((entry) => {
    const index = left.indexOf(entry);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}
