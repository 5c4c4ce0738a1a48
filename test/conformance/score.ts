import type { Ids } from './ids.ts';
import type { Tally } from './report.ts';

export interface Score {
  readonly table: string;
  /** Why the run does not conform; empty when it does. */
  readonly problems: readonly string[];
  /** Ids with a passing test that are not on the list of reached ones yet. */
  readonly newlyReached: readonly string[];
}

/** Holds the tally against the ids that have been reached before. */
export function score(ids: Ids, reached: readonly string[], tally: Tally): Score {
  const proved = (id: string): boolean => (tally.passing.get(id) ?? 0) > 0 && !tally.failing.has(id);
  const names = Object.keys(ids);
  return {
    table: [...names.map((id) => row(id, ids[id] ?? '', tally)), summary(names, tally)].join('\n'),
    problems: [
      ...reached.filter((id) => !(id in ids)).map((id) => `${id} is listed as reached but is no requirement`),
      ...reached
        .filter((id) => id in ids && !proved(id))
        .map((id) => `${id} was reached and has no passing test now, or a failing one`),
      ...tally.unknown.map((id) => `${id} stands in a title of a test but is no requirement`),
      ...(tally.failed > 0 ? [`${tally.failed} tests failed`] : []),
    ],
    newlyReached: names.filter((id) => proved(id) && !reached.includes(id)),
  };
}

function row(id: string, title: string, tally: Tally): string {
  const passing = tally.passing.get(id) ?? 0;
  const failing = tally.failing.get(id) ?? 0;
  return `${id}  ${String(passing).padStart(4)}${failing > 0 ? ` (${failing} failed)` : ''}  ${title}`;
}

function summary(names: readonly string[], tally: Tally): string {
  const covered = names.filter((id) => tally.passing.has(id)).length;
  return `${covered} of ${names.length} ids have a passing test`;
}
