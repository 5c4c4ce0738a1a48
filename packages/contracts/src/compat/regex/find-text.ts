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

/** Finds the shortest text that meets the demand, by a breadth-first walk over derivatives. */
export function findText(demand: TextDemand): TextFound {
  const make = new Expressions();
  const positive = demand.matching.map((pattern) => parsePattern(pattern, make));
  const negative = demand.notMatching.map((pattern) => parsePattern(pattern, make));
  const parts: Expression[] = [markedText(make), ...demand.excluded.map((text) => make.not(literalText(text, make)))];
  for (const expression of positive) if (expression !== null) parts.push(expression);
  for (const expression of negative) if (expression !== null) parts.push(make.not(expression));
  const complete = !positive.includes(null) && !negative.includes(null);
  const found = walk(derive(make.all(parts), START, make), demand, make);
  // What the known patterns exclude, all of them exclude; a text for the known ones says nothing about the others.
  return complete || found === 'none' ? found : 'unknown';
}

interface Place {
  readonly state: Expression;
  readonly text: string;
  readonly length: number;
}

function walk(start: Expression, demand: TextDemand, make: Expressions): TextFound {
  const alphabet = representatives(start, LAST_CODE_POINT);
  const seen = new Set<string>();
  let level: Place[] = [{ state: start, text: '', length: 0 }];
  while (level.length > 0) {
    const next: Place[] = [];
    for (const place of level) {
      if (place.length >= demand.minLength && acceptsEmpty(derive(place.state, END, make)))
        return { found: place.text };
      if (place.length === demand.maxLength) continue;
      for (const point of alphabet) {
        const state = derive(place.state, point, make);
        const length = place.length + 1;
        // Beyond the minimum the length no longer matters: shorter texts come first.
        const key = `${state.id} ${Math.min(length, demand.minLength)}`;
        if (state === make.nothing || seen.has(key)) continue;
        if (seen.size >= MAX_STATES) return 'unknown';
        seen.add(key);
        next.push({ state, text: place.text + String.fromCodePoint(point), length });
      }
    }
    level = next;
  }
  return 'none';
}
