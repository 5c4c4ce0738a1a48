import type { JsonValue } from '../json-value.ts';
import type { Formula } from '../logic/formula.ts';

/** Whether some value satisfies a goal: one that does, the proof that none does, or neither. */
export type Answer =
  | { readonly status: 'found'; readonly value: JsonValue }
  | { readonly status: 'none' }
  | { readonly status: 'unknown' };

export const NONE: Answer = { status: 'none' };
export const UNKNOWN: Answer = { status: 'unknown' };
export const found = (value: JsonValue): Answer => ({ status: 'found', value });

/** An atom, or what is not modelled, with its sign. */
export interface Literal {
  readonly formula: Formula;
  readonly positive: boolean;
}

/** What the solvers of arrays and objects need of the whole: values for what is inside. */
export interface InnerSolver {
  /** A value that satisfies every formula. */
  solve(goal: readonly Formula[]): Answer;
  readonly not: (formula: Formula) => Formula;
  readonly or: (formulas: readonly Formula[]) => Formula;
  /** The member names that satisfy the goal are texts other than these. */
  readonly except: (names: readonly string[]) => Formula;
  /** Formulas that no value of the list satisfies. */
  readonly differentFrom: (values: readonly JsonValue[]) => readonly Formula[];
  /** Counts work, by default one step. Throws BudgetExceeded when there was too much. */
  spend(steps?: number): void;
}

/** Thrown inside the solver, and caught where it was asked: the answer is then unknown. */
export class BudgetExceeded extends Error {}

/** The first value found; none only if every answer says so. */
export function firstFound(answers: Iterable<Answer>): Answer {
  let result: Answer = NONE;
  for (const answer of answers) {
    if (answer.status === 'found') return answer;
    if (answer.status === 'unknown') result = answer;
  }
  return result;
}

/** The answers to the items, worked out one by one as they are asked for. */
export function* answersTo<T>(items: Iterable<T>, answer: (item: T) => Answer): Iterable<Answer> {
  for (const item of items) yield answer(item);
}
