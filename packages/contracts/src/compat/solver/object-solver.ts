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
  /** Every name that is mentioned; any other name is as good as the next. */
  readonly mentioned: ReadonlySet<string>;
}
interface Wanted {
  readonly key: readonly Formula[];
  readonly each: readonly Formula[];
  /** A member of its own, rather than one that is there already. */
  readonly additional: boolean;
}
/** The members chosen so far, each with what its value must satisfy. */
type Chosen = ReadonlyMap<string, readonly Formula[]>;

/** Objects that must have more members than this are not built. */
const MAX_FILLERS = 64;

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
    if (formula.op === 'members' && !positive)
      wanted.push({ key: [formula.key], each: [solver.not(formula.each)], additional: false });
    if (formula.op === 'names' && positive) names.push(formula.key);
    if (formula.op === 'names' && !positive)
      wanted.push({ key: [solver.not(formula.key)], each: [], additional: false });
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
    this.#solver.spend();
    if (chosen.size > this.#demand.maxMembers) return null;
    const [next, ...later] = wanted;
    if (next === undefined)
      return chosen.size < this.#demand.minMembers ? this.#addFiller(chosen) : this.#build(chosen);
    for (const [name, constraints] of this.#candidates(next, chosen)) {
      const all = [...constraints, ...next.each];
      if (!this.#isPossible(all)) continue;
      const placed = this.#place(later, new Map([...chosen, [name, all]]));
      if (placed !== null) return placed;
    }
    return null;
  }

  #addFiller(chosen: Chosen): Answer | null {
    if (this.#demand.minMembers - chosen.size > MAX_FILLERS) {
      this.#unknown = true;
      return null;
    }
    return this.#place([{ key: [], each: [], additional: true }], chosen);
  }

  *#candidates(wanted: Wanted, chosen: Chosen): Iterable<readonly [string, readonly Formula[]]> {
    const fits = (name: string) => wanted.key.every((key) => this.#nameHolds(key, name) !== false);
    if (!wanted.additional) for (const [name, constraints] of chosen) if (fits(name)) yield [name, constraints];
    for (const name of this.#demand.mentioned) {
      const constraints = chosen.has(name) || !fits(name) ? null : this.#constraintsOf(name);
      if (constraints !== null) yield [name, constraints];
    }
    yield* this.#newNames(wanted, [...chosen.keys()], [], this.#demand.universals);
  }

  /** A new name for each way in which the universals may or may not speak about it. */
  *#newNames(
    wanted: Wanted,
    taken: readonly string[],
    key: readonly Formula[],
    universals: ObjectDemand['universals'],
  ): Iterable<readonly [string, readonly Formula[]]> {
    this.#solver.spend();
    const { mentioned, names } = this.#demand;
    const answer = this.#solver.solve([this.#solver.except([...mentioned, ...taken]), ...wanted.key, ...names, ...key]);
    if (answer.status === 'unknown') this.#unknown = true;
    if (answer.status === 'none') return;
    const [next, ...later] = universals;
    if (next === undefined) {
      if (answer.status === 'found' && typeof answer.value === 'string')
        yield [answer.value, this.#constraintsOf(answer.value) ?? []];
      return;
    }
    yield* this.#newNames(wanted, taken, [...key, this.#solver.not(next.key)], later);
    yield* this.#newNames(wanted, taken, [...key, next.key], later);
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
