import { JSON_TYPES, type JsonType, type JsonValue } from '../json-value.ts';
import type { Formula } from '../logic/formula.ts';
import type { Formulas } from '../logic/formulas.ts';
import { constant } from '../logic/scalar-parts.ts';
import { specialise } from '../logic/specialise.ts';
import {
  type Answer,
  answersTo,
  BudgetExceeded,
  firstFound,
  type InnerSolver,
  type Literal,
  NONE,
  UNKNOWN,
} from './answer.ts';
import { solveArray } from './array-solver.ts';
import { Branches } from './branches.ts';
import { solveNumber } from './number-solver.ts';
import { solveObject } from './object-solver.ts';
import { solveFinite, solveString } from './scalar-solvers.ts';

type TypeSolver = (literals: readonly Literal[], solver: InnerSolver) => Answer;

const TYPE_SOLVERS: Readonly<Record<JsonType, TypeSolver>> = {
  null: (literals) => solveFinite([null], literals),
  boolean: (literals) => solveFinite([false, true], literals),
  number: solveNumber,
  string: solveString,
  array: solveArray,
  object: solveObject,
};

/** A goal that is nested deeper than this inside others is given up. */
const MAX_OPEN_GOALS = 100;

/**
 * Decides whether a value exists that satisfies a list of formulas, and builds it.
 *
 * Values are finite, so a smallest value for a goal never needs a value for the same goal inside itself: a goal that comes up again
 * while it is open has none there. An answer that relied on such an open goal holds only while it is open and is not kept.
 */
export class Solver implements InnerSolver {
  readonly #make: Formulas;
  readonly #answers = new Map<string, Answer>();
  readonly #open = new Map<string, number>();
  readonly #specialised = new Map<string, Formula>();
  #lowestAssumption = Infinity;
  #steps: number;

  constructor(make: Formulas, maxSteps: number) {
    this.#make = make;
    this.#steps = maxSteps;
  }

  /** The answer within the budget of steps. */
  decide(goal: readonly Formula[]): Answer {
    try {
      return this.solve(goal);
    } catch (error) {
      if (error instanceof BudgetExceeded || error instanceof RangeError) return UNKNOWN;
      throw error;
    }
  }

  solve(goal: readonly Formula[]): Answer {
    const formula = this.#make.and(goal);
    if (formula === this.#make.false) return NONE;
    const key = String(formula.id);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const openedAt = this.#open.get(key);
    if (openedAt !== undefined) {
      this.#lowestAssumption = Math.min(this.#lowestAssumption, openedAt);
      return NONE;
    }
    return this.#open.size >= MAX_OPEN_GOALS ? UNKNOWN : this.#solveNew(formula, key);
  }

  #solveNew(formula: Formula, key: string): Answer {
    const depth = this.#open.size;
    const outerAssumption = this.#lowestAssumption;
    this.#lowestAssumption = Infinity;
    this.#open.set(key, depth);
    try {
      const answer = firstFound(this.#answersByType(formula));
      if (answer.status === 'found' || this.#lowestAssumption >= depth) this.#answers.set(key, answer);
      return answer;
    } finally {
      this.#open.delete(key);
      const relied = this.#lowestAssumption < depth ? this.#lowestAssumption : Infinity;
      this.#lowestAssumption = Math.min(outerAssumption, relied);
    }
  }

  *#answersByType(formula: Formula): Iterable<Answer> {
    for (const type of JSON_TYPES) {
      const branches = new Branches((part) => this.#specialise(part, type), this);
      yield firstFound(answersTo(branches.of(formula), (literals) => this.#solveLiterals(type, literals)));
    }
  }

  /** Something that is not modelled can neither be relied upon nor be built. */
  #solveLiterals(type: JsonType, literals: readonly Literal[]): Answer {
    const answer = TYPE_SOLVERS[type](
      literals.filter((literal) => literal.formula.op !== 'opaque'),
      this,
    );
    return answer.status === 'found' && literals.some((literal) => literal.formula.op === 'opaque') ? UNKNOWN : answer;
  }

  #specialise(formula: Formula, type: JsonType): Formula {
    const key = `${formula.id} ${type}`;
    const known = this.#specialised.get(key) ?? specialise(formula, type, this.#make);
    this.#specialised.set(key, known);
    return known;
  }

  not = (formula: Formula): Formula => this.#make.not(formula);

  or = (formulas: readonly Formula[]): Formula => this.#make.or(formulas);

  except = (names: readonly string[]): Formula =>
    this.#make.and([this.#make.type('string'), this.#make.not(this.#make.in(names))]);

  differentFrom = (values: readonly JsonValue[]): readonly Formula[] =>
    values.map((value) => this.#make.not(constant(value, this.#make)));

  spend(steps = 1): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new BudgetExceeded();
  }
}
