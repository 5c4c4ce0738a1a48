import { acceptsEmpty, derive, representatives } from './derive.ts';
import { END, type Expression, Expressions, LAST_CODE_POINT, START } from './expression.ts';
import { literalText, markedText, parsePattern } from './parse-pattern.ts';

/** What a text must be like. Lengths are in code points. */
export interface TextDemand {
  readonly matching: readonly string[];
  readonly notMatching: readonly string[];
  readonly excluded: readonly string[];
  readonly minLength: number;
  readonly maxLength: number;
}

/** A text; or the proof that there is none; or neither, for a pattern that is not modelled or too large a search. */
export type TextFound = { readonly found: string } | 'none' | 'unknown';

/** Patterns in contracts have a few dozen derivatives; more than this is an attack or a counter. */
const MAX_STATES = 4_000;
/** Each derivative may be met at each length up to the minimum. */
const MAX_PLACES = 60_000;

/**
 * Finds the shortest text that meets the demand, by a breadth-first walk over derivatives.
 *
 * @param spend is told of the steps as they are taken, and may throw.
 */
export function findText(demand: TextDemand, spend: (steps: number) => void = () => undefined): TextFound {
  const make = new Expressions();
  const positive = demand.matching.map((pattern) => parsePattern(pattern, make));
  const negative = demand.notMatching.map((pattern) => parsePattern(pattern, make));
  const parts: Expression[] = [markedText(make), ...demand.excluded.map((text) => make.not(literalText(text, make)))];
  for (const expression of positive) if (expression !== null) parts.push(expression);
  for (const expression of negative) if (expression !== null) parts.push(make.not(expression));
  const complete = !positive.includes(null) && !negative.includes(null);
  const found = walk(derive(make.all(parts), START, make), demand, make, spend);
  // What the known patterns exclude, all of them exclude; a text for the known ones says nothing about the others.
  return complete || found === 'none' ? found : 'unknown';
}

interface Place {
  readonly state: Expression;
  readonly text: string;
  readonly length: number;
}

interface Step {
  readonly point: number;
  readonly state: Expression;
}

function walk(start: Expression, demand: TextDemand, make: Expressions, spend: (steps: number) => void): TextFound {
  const alphabet = representatives(start, LAST_CODE_POINT);
  const steps = new Map<Expression, readonly Step[]>();
  const stepsFrom = (state: Expression): readonly Step[] => {
    const known = steps.get(state);
    if (known !== undefined) return known;
    // A derivative of several patterns is a derivative of each.
    spend(alphabet.length * (demand.matching.length + demand.notMatching.length + demand.excluded.length));
    const made = alphabet
      .map((point) => ({ point, state: derive(state, point, make) }))
      .filter((step) => step.state !== make.nothing);
    steps.set(state, made);
    return made;
  };
  const seen = new Set<string>();
  let level: Place[] = [{ state: start, text: '', length: 0 }];
  while (level.length > 0) {
    const next: Place[] = [];
    for (const place of level) {
      if (place.length >= demand.minLength && acceptsEmpty(derive(place.state, END, make)))
        return { found: place.text };
      if (place.length === demand.maxLength) continue;
      for (const { point, state } of stepsFrom(place.state)) {
        const length = place.length + 1;
        // Beyond the minimum the length no longer matters: shorter texts come first.
        const key = `${state.id} ${Math.min(length, demand.minLength)}`;
        if (seen.has(key)) continue;
        if (steps.size >= MAX_STATES || seen.size >= MAX_PLACES) return 'unknown';
        seen.add(key);
        next.push({ state, text: place.text + String.fromCodePoint(point), length });
      }
    }
    level = next;
  }
  return 'none';
}
