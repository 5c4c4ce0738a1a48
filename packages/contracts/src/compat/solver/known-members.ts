import type { Scalar } from '../json-value.ts';
import { finiteValues } from '../logic/finite-values.ts';
import type { Formula } from '../logic/formula.ts';
import { holds } from '../logic/holds.ts';
import type { Literal } from './answer.ts';

/**
 * What the literals of an object say about single members: which must be there, which cannot, and the few values that some may have.
 * It decides most literals about the discriminators of a union without a choice, which keeps large unions linear.
 */
export class KnownMembers {
  readonly #present = new Set<string>();
  readonly #absent = new Set<string>();
  readonly #values = new Map<string, readonly Scalar[]>();

  constructor(literals: readonly Literal[]) {
    for (const { formula, positive } of literals) {
      if (formula.op === 'has') (positive ? this.#present : this.#absent).add(formula.name);
      if (formula.op === 'member' && !positive) this.#present.add(formula.name);
    }
    for (const { formula, positive } of literals)
      if (formula.op === 'member' && positive) this.#restrict(formula.name, formula.each);
  }

  #restrict(name: string, each: Formula): void {
    const known = this.#values.get(name);
    const values = known === undefined ? finiteValues(each) : known.filter((value) => holds(each, value) !== false);
    if (values !== null) this.#values.set(name, values);
  }

  /** Whether the literal holds in every object as known so far, in none (false), or in some (null). */
  decide({ formula, positive }: Literal): boolean | null {
    const holds =
      formula.op === 'has'
        ? this.#has(formula.name)
        : formula.op === 'member'
          ? this.#member(formula.name, formula.each)
          : null;
    return holds === null ? null : holds === positive;
  }

  #has(name: string): boolean | null {
    if (this.#present.has(name)) return true;
    return this.#absent.has(name) ? false : null;
  }

  #member(name: string, each: Formula): boolean | null {
    if (this.#absent.has(name)) return true;
    const values = this.#values.get(name);
    if (values === undefined) return null;
    const answers = values.map((value) => holds(each, value));
    if (answers.every((answer) => answer === true)) return true;
    return this.#present.has(name) && answers.every((answer) => answer === false) ? false : null;
  }
}
