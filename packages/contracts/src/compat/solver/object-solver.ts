import type { JsonValue } from '../json-value.ts';
import type { Formula } from '../logic/formula.ts';
import { holds } from '../logic/holds.ts';
import { type Answer, found, type InnerSolver, type Literal, NONE, UNKNOWN } from './answer.ts';

/** What the literals say about an object. */
interface ObjectDemand {
  readonly required: ReadonlySet<string>;
  readonly absent: ReadonlySet<string>;
  readonly members: ReadonlyMap<string, readonly Formula[]>;
  /** Every member whose name satisfies `key` has a value as `each` says. */
  readonly universals: readonly { readonly key: Formula; readonly each: Formula }[];
  readonly names: readonly Formula[];
  /** Members that must be there, with names as `key` says. */
  readonly wanted: readonly Wanted[];
  readonly minMembers: number;
  readonly maxMembers: number;
  /** Every name that is mentioned; others are told apart by the keys alone. */
  readonly mentioned: ReadonlySet<string>;
}
interface Wanted {
  readonly key: readonly Formula[];
  readonly each: readonly Formula[];
}
/** The members chosen so far, each with what its value must satisfy. */
type Chosen = ReadonlyMap<string, readonly Formula[]>;

/** Objects that must have more members than this whose names nothing mentions are not built. */
const MAX_FILLERS = 200;

export function solveObject(literals: readonly Literal[], solver: InnerSolver): Answer {
  return new ObjectSearch(demandOf(literals, solver), solver).run();
}

// eslint-disable-next-line complexity -- one line for each atom and sign, and they share what they fill
function demandOf(literals: readonly Literal[], solver: InnerSolver): ObjectDemand {
  const [required, absent, mentioned] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const members = new Map<string, Formula[]>();
  const universals: { key: Formula; each: Formula }[] = [];
  const names: Formula[] = [];
  const wanted: Wanted[] = [];
  let [minMembers, maxMembers] = [0, Infinity];
  for (const { formula, positive } of literals) {
    if (formula.op === 'has') (positive ? required : absent).add(formula.name);
    if (formula.op === 'member') {
      if (!positive) required.add(formula.name);
      members.set(formula.name, [
        ...(members.get(formula.name) ?? []),
        positive ? formula.each : solver.not(formula.each),
      ]);
    }
    if (formula.op === 'members' && positive) universals.push(formula);
    if (formula.op === 'members' && !positive) wanted.push({ key: [formula.key], each: [solver.not(formula.each)] });
    if (formula.op === 'names' && positive) names.push(formula.key);
    if (formula.op === 'names' && !positive) wanted.push({ key: [solver.not(formula.key)], each: [] });
    if (formula.op === 'min-members' && positive) minMembers = Math.max(minMembers, formula.count);
    if (formula.op === 'min-members' && !positive) maxMembers = Math.min(maxMembers, formula.count - 1);
  }
  for (const name of [...required, ...absent, ...members.keys()]) mentioned.add(name);
  for (const key of [...universals.map(({ key }) => key), ...wanted.flatMap(({ key }) => key), ...names])
    mention(key, mentioned);
  return { required, absent, members, universals, names, wanted, minMembers, maxMembers, mentioned };
}

function mention(key: Formula, mentioned: Set<string>): void {
  if (key.op === 'in') for (const name of key.values) mentioned.add(String(name));
  else if (key.op === 'not') mention(key.part, mentioned);
  else if (key.op === 'and' || key.op === 'or') for (const part of key.parts) mention(part, mentioned);
}

class ObjectSearch {
  readonly #demand: ObjectDemand;
  readonly #solver: InnerSolver;
  #unknown = false;

  constructor(demand: ObjectDemand, solver: InnerSolver) {
    this.#demand = demand;
    this.#solver = solver;
  }

  run(): Answer {
    const { required, absent, wanted } = this.#demand;
    if ([...required].some((name) => absent.has(name))) return NONE;
    let chosen: Chosen = new Map();
    for (const name of required) {
      const constraints = this.#constraintsOf(name);
      if (constraints === null || !this.#isPossible(constraints)) return this.#failed();
      chosen = new Map([...chosen, [name, constraints]]);
    }
    return this.#place(wanted, chosen) ?? this.#failed();
  }

  /** What could not be decided on the way keeps a failure from being a proof. */
  #failed(): Answer {
    return this.#unknown ? UNKNOWN : NONE;
  }

  #isPossible(constraints: readonly Formula[]): boolean {
    const answer = this.#solver.solve(constraints);
    if (answer.status === 'unknown') this.#unknown = true;
    return answer.status === 'found';
  }

  /** What the value of a member of this name must satisfy; null where no member may have the name. */
  #constraintsOf(name: string): readonly Formula[] | null {
    const { absent, members, universals, names } = this.#demand;
    if (absent.has(name) || names.some((key) => this.#nameHolds(key, name) !== true)) return null;
    return [
      ...(members.get(name) ?? []),
      ...universals.filter(({ key }) => this.#nameHolds(key, name) !== false).map(({ each }) => each),
    ];
  }

  #nameHolds(key: Formula, name: string): boolean | null {
    const answer = holds(key, name);
    if (answer === null) this.#unknown = true;
    return answer;
  }

  /** Gives each wanted member a name: one that is there, one that is mentioned, or a new one. */
  #place(wanted: readonly Wanted[], chosen: Chosen): Answer | null {
    this.#solver.spend(1 + chosen.size);
    if (chosen.size > this.#demand.maxMembers) return null;
    const [next, ...later] = wanted;
    if (next === undefined) {
      const filled = this.#filledUp(chosen);
      return filled === null ? null : this.#build(filled);
    }
    for (const [name, constraints] of this.#candidates(next, later, chosen)) {
      const placed = this.#place(later, new Map([...chosen, [name, constraints]]));
      if (placed !== null) return placed;
    }
    return null;
  }

  /** The minimum of members. Nothing is asked of those that only count, so no choice among them stands in the way of another. */
  #filledUp(start: Chosen): Chosen | null {
    const { minMembers, maxMembers, mentioned } = this.#demand;
    if (minMembers > maxMembers) return null;
    const chosen = new Map(start);
    if (minMembers - chosen.size > MAX_FILLERS + mentioned.size) {
      this.#unknown = true;
      return null;
    }
    for (const name of mentioned) {
      if (chosen.size >= minMembers) return chosen;
      const constraints = chosen.has(name) ? null : this.#constraintsOf(name);
      if (constraints !== null && this.#isPossible(constraints)) chosen.set(name, constraints);
    }
    while (chosen.size < minMembers) {
      const added = this.#newMember(chosen);
      if (added === null) return null;
      chosen.set(...added);
    }
    return chosen;
  }

  #newMember(chosen: Chosen): readonly [string, readonly Formula[]] | null {
    for (const member of this.#newMembers([...chosen.keys()], { key: [], each: [] }, [])) return member;
    return null;
  }

  /** The members that may serve as the wanted one, each with what its value must satisfy. */
  *#candidates(
    wanted: Wanted,
    later: readonly Wanted[],
    chosen: Chosen,
  ): Iterable<readonly [string, readonly Formula[]]> {
    for (const name of new Set([...chosen.keys(), ...this.#demand.mentioned])) {
      if (wanted.key.some((key) => this.#nameHolds(key, name) === false)) continue;
      const constraints = chosen.get(name) ?? this.#constraintsOf(name);
      if (constraints === null) continue;
      const all = [...constraints, ...wanted.each];
      if (this.#isPossible(all)) yield [name, all];
    }
    // Names that a later want tells apart are not as good as each other: members and names may be few.
    yield* this.#newMembers(
      [...chosen.keys()],
      wanted,
      later.flatMap(({ key }) => key),
    );
  }

  /** Members with names that nothing mentions, one for each way in which the keys may or may not speak about the name. */
  *#newMembers(
    taken: readonly string[],
    { key, each }: Wanted,
    others: readonly Formula[],
  ): Iterable<readonly [string, readonly Formula[]]> {
    const { mentioned, names, universals } = this.#demand;
    const excluded: Formula[] = [this.#solver.except([...mentioned, ...taken]), ...names, ...key];
    for (;;) {
      this.#solver.spend();
      const answer = this.#solver.solve(excluded);
      if (answer.status === 'unknown') this.#unknown = true;
      if (answer.status !== 'found' || typeof answer.value !== 'string') return;
      const name = answer.value;
      const told = (keys: readonly Formula[], sign: boolean) =>
        keys.filter((other) => (this.#nameHolds(other, name) !== false) === sign);
      const constraints = [...(this.#constraintsOf(name) ?? []), ...each];
      const keys = universals.map((universal) => universal.key);
      const applied = told(keys, true).map((other) => this.#solver.not(other));
      if (this.#isPossible(constraints)) {
        yield [name, constraints];
        // What else is asked for has failed: only a name of another kind is worth a try.
        const rest = told(others, true).map((other) => this.#solver.not(other));
        excluded.push(this.#solver.or([...applied, ...rest, ...told([...keys, ...others], false)]));
      } else excluded.push(this.#solver.or(applied)); // Whatever else speaks about a name, these together are too much.
    }
  }

  #build(chosen: Chosen): Answer | null {
    const members: (readonly [string, JsonValue])[] = [];
    for (const [name, constraints] of chosen) {
      const answer = this.#solver.solve(constraints);
      if (answer.status !== 'found') {
        this.#unknown ||= answer.status === 'unknown';
        return null;
      }
      members.push([name, answer.value]);
    }
    // Built from entries, so that a member named __proto__ is a member.
    return found(Object.fromEntries(members));
  }
}
