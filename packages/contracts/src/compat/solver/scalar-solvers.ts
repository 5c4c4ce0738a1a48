import type { Scalar } from '../json-value.ts';
import type { Formula } from '../logic/formula.ts';
import { holds, matches } from '../logic/holds.ts';
import { findText } from '../regex/find-text.ts';
import { type Answer, found, type InnerSolver, type Literal, NONE, UNKNOWN } from './answer.ts';

/** The first candidate that satisfies every literal, where the candidates are all there are. */
export function solveFinite(candidates: readonly Scalar[], literals: readonly Literal[]): Answer {
  const value = candidates.find((candidate) =>
    literals.every(({ formula, positive }) => holds(formula, candidate) === positive),
  );
  if (value !== undefined) return found(value);
  const undecided = candidates.some((candidate) =>
    literals.every(({ formula, positive }) => holds(formula, candidate) !== !positive),
  );
  return undecided ? UNKNOWN : NONE;
}

/** The values that a positive list allows, if there is one. */
export function listedValues(literals: readonly Literal[]): readonly Scalar[] | null {
  for (const { formula, positive } of literals) if (formula.op === 'in' && positive) return formula.values;
  return null;
}

export function solveString(literals: readonly Literal[], solver: Pick<InnerSolver, 'spend'>): Answer {
  const listed = listedValues(literals);
  if (listed !== null) return solveFinite(listed, literals);
  const demand = {
    matching: patterns(literals, true),
    notMatching: patterns(literals, false),
    excluded: excludedTexts(literals),
    ...lengths(literals),
  };
  if (demand.minLength > demand.maxLength) return NONE;
  const plain = demand.matching.length + demand.notMatching.length === 0 ? plainText(demand) : null;
  if (plain !== null) return found(plain);
  const text = findText(demand, (steps) => {
    solver.spend(steps);
  });
  if (text === 'none') return NONE;
  return text === 'unknown' ? trial(demand.matching, demand.minLength, literals) : found(text.found);
}

function patterns(literals: readonly Literal[], sign: boolean): readonly string[] {
  return literals.flatMap(({ formula, positive }) =>
    formula.op === 'pattern' && positive === sign ? [formula.pattern] : [],
  );
}

function excludedTexts(literals: readonly Literal[]): readonly string[] {
  return literals.flatMap(({ formula, positive }) =>
    formula.op === 'in' && !positive ? formula.values.filter((value) => typeof value === 'string') : [],
  );
}

function lengths(literals: readonly Literal[]): { readonly minLength: number; readonly maxLength: number } {
  const counts = (sign: boolean) =>
    literals.flatMap(({ formula, positive }) =>
      formula.op === 'min-length' && positive === sign ? [formula.count] : [],
    );
  return {
    minLength: Math.max(0, ...counts(true)),
    maxLength: Math.min(Infinity, ...counts(false).map((count) => count - 1)),
  };
}

/** Without patterns a text is found by its length; null where exclusions make that a search. */
function plainText(demand: {
  readonly minLength: number;
  readonly maxLength: number;
  readonly excluded: readonly string[];
}): string | null {
  const excluded = new Set(demand.excluded);
  const last = Math.min(demand.maxLength, demand.minLength + excluded.size + 1);
  // Longer witnesses are no clearer, and a schema must not make us build a huge one.
  if (demand.minLength > 100_000) return null;
  for (let length = demand.minLength; length <= last; length += 1)
    for (const char of ['x', 'y', 'z']) if (!excluded.has(char.repeat(length))) return char.repeat(length);
  return null;
}

const ORDINARY = ['', ...Array.from('abzA019-_.\né'), 'ab', 'abc', 'a b', 'A1', 'a1', 'word', '2020-01-01', 'a@b.co'];
/** Longer texts are not tried without a proof that they are worth it. */
const MAX_TRIED_LENGTH = 1_000;

/** Where no proof is possible, a few ordinary texts are tried, as they are and filled up to the least length. */
function trial(matching: readonly string[], minLength: number, literals: readonly Literal[]): Answer {
  const hints = matching.map((pattern) => pattern.replace(/\\[bBdwsDWS]/g, '').replace(/[\^$\\()[\]{}*+?|]/g, ''));
  const length = Math.min(minLength, MAX_TRIED_LENGTH);
  const texts = [...ORDINARY, ...hints].flatMap((text) => [
    text,
    ...[' ', 'a', '0'].flatMap((filler) => [text.padEnd(length, filler), text.padStart(length, filler)]),
  ]);
  const text = texts.find((candidate) => literals.every((literal) => satisfies(literal, candidate)));
  return text === undefined ? UNKNOWN : found(text);
}

function satisfies(
  { formula, positive }: { readonly formula: Formula; readonly positive: boolean },
  text: string,
): boolean {
  return (formula.op === 'pattern' ? matches(formula.pattern, text) : holds(formula, text)) === positive;
}
