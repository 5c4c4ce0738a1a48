import type { Formula } from '../logic/formula.ts';
import type { InnerSolver, Literal } from './answer.ts';
import { KnownMembers } from './known-members.ts';

/** What a branch has settled so far. Copied where a choice is made. */
interface Branch {
  readonly literals: readonly Literal[];
  /** Every formula that was asserted, by id, with its sign. */
  readonly asserted: ReadonlyMap<number, boolean>;
  readonly clauses: readonly (readonly Literal[])[];
}

/** Takes a formula apart into the conjunctions of literals that satisfy it: unit propagation first, then a choice from the smallest clause. */
export class Branches {
  readonly #prepare: (formula: Formula) => Formula;
  readonly #solver: Pick<InnerSolver, 'spend'>;

  /** @param prepare makes a formula fit for the type of value that is looked for. */
  constructor(prepare: (formula: Formula) => Formula, solver: Pick<InnerSolver, 'spend'>) {
    this.#prepare = prepare;
    this.#solver = solver;
  }

  of(formula: Formula): Iterable<readonly Literal[]> {
    const root: Branch = { literals: [], asserted: new Map(), clauses: [] };
    return this.#explore(this.#assert(root, [{ formula: this.#prepare(formula), positive: true }]));
  }

  *#explore(start: Branch | null): Iterable<readonly Literal[]> {
    if (start === null) return;
    // Each branch looks at all that is asserted, so wide schemas pay for their width.
    this.#solver.spend(1 + start.asserted.size + start.clauses.reduce((sum, clause) => sum + clause.length, 0));
    const branch = this.#propagate(start);
    if (branch === null) return;
    const clause = branch.clauses.reduce<readonly Literal[] | null>(
      (best, next) => (best === null || next.length < best.length ? next : best),
      null,
    );
    if (clause === null) {
      yield branch.literals;
      return;
    }
    const rest = { ...branch, clauses: branch.clauses.filter((other) => other !== clause) };
    for (const choice of clause) yield* this.#explore(this.#assert(rest, [choice]));
  }

  /** Drops what is decided already and asserts what has no alternative, until nothing changes. */
  #propagate(start: Branch): Branch | null {
    let branch: Branch = start;
    for (;;) {
      const known = new KnownMembers(branch.literals);
      const open: (readonly Literal[])[] = [];
      const forced: Literal[] = [];
      for (const clause of branch.clauses) {
        const undecided = undecidedPart(clause, branch.asserted, known);
        if (undecided === 'satisfied') continue;
        const [only] = undecided;
        if (only === undefined) return null;
        if (undecided.length === 1) forced.push(only);
        else open.push(undecided);
      }
      const next = { ...branch, clauses: open };
      if (forced.length === 0) return next;
      const asserted = this.#assert(next, forced);
      if (asserted === null) return null;
      branch = asserted;
    }
  }

  #assert(branch: Branch, literals: readonly Literal[]): Branch | null {
    const asserted = new Map(branch.asserted);
    const added: Literal[] = [];
    const clauses: (readonly Literal[])[] = [...branch.clauses];
    const pending = [...literals];
    for (let literal = pending.pop(); literal !== undefined; literal = pending.pop()) {
      const { formula, positive } = literal;
      const before = asserted.get(formula.id);
      if (before === positive) continue;
      if (before !== undefined || formula.op === (positive ? 'false' : 'true')) return null;
      asserted.set(formula.id, positive);
      if (formula.op === 'true' || formula.op === 'false') continue;
      if (formula.op === 'not') pending.push({ formula: formula.part, positive: !positive });
      else if (formula.op === 'ref') pending.push({ formula: this.#prepare(formula.target()), positive });
      else if (formula.op !== 'and' && formula.op !== 'or') added.push(literal);
      else if ((formula.op === 'and') === positive) pending.push(...signed(formula.parts, positive));
      else clauses.push(signed(formula.parts, positive));
    }
    return { literals: [...branch.literals, ...added], asserted, clauses };
  }
}

function signed(parts: readonly Formula[], positive: boolean): readonly Literal[] {
  return parts.map((formula) =>
    formula.op === 'not' ? { formula: formula.part, positive: !positive } : { formula, positive },
  );
}

function undecidedPart(
  clause: readonly Literal[],
  asserted: ReadonlyMap<number, boolean>,
  known: KnownMembers,
): readonly Literal[] | 'satisfied' {
  const undecided: Literal[] = [];
  for (const literal of clause) {
    const sign = asserted.get(literal.formula.id);
    const holds = sign === undefined ? known.decide(literal) : sign === literal.positive;
    if (holds === true) return 'satisfied';
    if (holds === null) undecided.push(literal);
  }
  return undecided;
}
