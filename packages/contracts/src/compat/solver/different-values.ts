import { canonicalText, type JsonValue } from '../json-value.ts';
import type { Formula } from '../logic/formula.ts';
import { type Answer, found, type InnerSolver, NONE, UNKNOWN } from './answer.ts';

/**
 * Values for some places, no two of them equal. A place that has as many values as there are places is never in the way, so no more are
 * looked for; with fewer, all of them are known, and a matching of places and values exists or does not.
 */
export function differentValues(places: readonly (readonly Formula[])[], solver: InnerSolver): Answer {
  const choices: (readonly JsonValue[])[] = [];
  for (const place of places) {
    const values = someValues(place, places.length, solver);
    if (values === null) return UNKNOWN;
    choices.push(values);
  }
  const chosen = matching(choices);
  return chosen === null ? NONE : found(chosen);
}

/** So many different values that satisfy the formulas, or all that there are; null where the solver does not know. */
function someValues(place: readonly Formula[], enough: number, solver: InnerSolver): readonly JsonValue[] | null {
  const values: JsonValue[] = [];
  while (values.length < enough) {
    const answer = solver.solve([...place, ...solver.differentFrom(values)]);
    if (answer.status === 'none') break;
    if (answer.status === 'unknown') return null;
    values.push(answer.value);
  }
  return values;
}

/** Gives each place a value of its own, moving earlier ones to another of theirs where that makes room. */
function matching(choices: readonly (readonly JsonValue[])[]): JsonValue[] | null {
  const takenBy = new Map<string, number>();
  const chosen: JsonValue[] = [];
  const seat = (place: number, tried: Set<string>): boolean =>
    (choices[place] ?? []).some((value) => {
      const key = canonicalText(value);
      if (tried.has(key)) return false;
      tried.add(key);
      const other = takenBy.get(key);
      if (other !== undefined && !seat(other, tried)) return false;
      takenBy.set(key, place);
      chosen[place] = value;
      return true;
    });
  return choices.every((_, place) => seat(place, new Set())) ? chosen : null;
}
