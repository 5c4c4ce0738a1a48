import type { JsonValue } from '../json-value.ts';
import type { Formula } from '../logic/formula.ts';
import { type Answer, answersTo, firstFound, found, type InnerSolver, type Literal, NONE, UNKNOWN } from './answer.ts';
import { differentValues } from './different-values.ts';

/** What the literals say about an array. */
interface ArrayDemand {
  readonly minItems: number;
  readonly maxItems: number;
  /** Requirements on the element at an index, and on all from an index on. */
  readonly items: readonly { readonly index: number; readonly each: Formula }[];
  readonly rests: readonly { readonly from: number; readonly each: Formula }[];
  /** Elements that must be there, each somewhere from an index on. */
  readonly wanted: readonly Wanted[];
  /** At most so many elements may satisfy `each`. */
  readonly atMost: readonly { readonly each: Formula; readonly count: number }[];
  readonly unique: boolean;
  readonly repeated: boolean;
}
/** Elements wanted by one `contains` must be different ones; `group` says which belong together. */
interface Wanted {
  readonly from: number;
  readonly to: number;
  readonly each: Formula;
  readonly group: number;
}

/** Longer arrays than this are built only where all their elements are alike. */
const MAX_LENGTH = 24;
const MAX_BUILT_LENGTH = 2_000;

export function solveArray(literals: readonly Literal[], solver: InnerSolver): Answer {
  const demand = demandOf(literals, solver);
  if (demand.minItems > demand.maxItems) return NONE;
  // Elements beyond the named positions that nothing wants can be left out, so no longer array is worth a try.
  const named = Math.max(0, ...demand.items.map((item) => item.index + 1), ...demand.rests.map((rest) => rest.from));
  const enough = Math.max(demand.minItems, named + demand.wanted.length + (demand.repeated ? 2 : 0));
  const longest = Math.min(demand.maxItems, enough);
  if (longest > MAX_LENGTH) return solveLong(demand, solver);
  const lengths = Array.from({ length: longest - demand.minItems + 1 }, (_, index) => demand.minItems + index);
  return firstFound(answersTo(lengths, (length) => solveLength(demand, length, solver)));
}

// eslint-disable-next-line complexity -- one line for each atom and sign, and they share what they fill
function demandOf(literals: readonly Literal[], solver: InnerSolver): ArrayDemand {
  const items: { index: number; each: Formula }[] = [];
  const rests: { from: number; each: Formula }[] = [];
  const wanted: Wanted[] = [];
  const atMost: { each: Formula; count: number }[] = [];
  let [minItems, maxItems, unique, repeated] = [0, Infinity, false, false];
  for (const [group, { formula, positive }] of literals.entries()) {
    if (formula.op === 'min-items' && positive) minItems = Math.max(minItems, formula.count);
    if (formula.op === 'min-items' && !positive) maxItems = Math.min(maxItems, formula.count - 1);
    if (formula.op === 'item' && positive) items.push(formula);
    if (formula.op === 'item' && !positive) {
      minItems = Math.max(minItems, formula.index + 1);
      items.push({ index: formula.index, each: solver.not(formula.each) });
    }
    if (formula.op === 'rest' && positive) rests.push(formula);
    if (formula.op === 'rest' && !positive)
      wanted.push({ from: formula.from, to: Infinity, each: solver.not(formula.each), group });
    if (formula.op === 'contains' && positive)
      for (let count = 0; count < formula.count; count += 1)
        wanted.push({ from: 0, to: Infinity, each: formula.each, group });
    if (formula.op === 'contains' && !positive) atMost.push({ each: formula.each, count: formula.count - 1 });
    if (formula.op === 'unique' && positive) unique = true;
    if (formula.op === 'unique' && !positive) repeated = true;
  }
  return { minItems, maxItems, items, rests, wanted, atMost, unique, repeated };
}

/** The formulas for each position of an array of one length. */
type Slots = readonly (readonly Formula[])[];

function solveLength(demand: ArrayDemand, length: number, solver: InnerSolver): Answer {
  const slots = Array.from({ length }, (_, index) => [
    ...demand.items.filter((item) => item.index === index).map((item) => item.each),
    ...demand.rests.filter((rest) => index >= rest.from).map((rest) => rest.each),
    ...demand.atMost.filter((limit) => limit.count === 0).map((limit) => solver.not(limit.each)),
  ]);
  return firstFound(answersTo(placeWanted(demand.wanted, slots, solver), (placed) => limited(demand, placed, solver)));
}

/** Every way to give the wanted elements their positions; those of one group get different ones, in ascending order. */
function* placeWanted(
  wanted: readonly Wanted[],
  slots: Slots,
  solver: InnerSolver,
  previous: { readonly group: number; readonly index: number } | null = null,
): Iterable<Slots> {
  const [next, ...later] = wanted;
  if (next === undefined) {
    yield slots;
    return;
  }
  const start = previous !== null && previous.group === next.group ? previous.index + 1 : next.from;
  for (let index = Math.max(start, next.from); index < slots.length; index += 1) {
    solver.spend();
    const placed = slots.map((slot, position) => (position === index ? [...slot, next.each] : slot));
    yield* placeWanted(later, placed, solver, { group: next.group, index });
  }
}

/** A limit above zero chooses which positions may satisfy it; all others must not. */
function limited(demand: ArrayDemand, slots: Slots, solver: InnerSolver): Answer {
  const limits = demand.atMost.filter((limit) => limit.count > 0 && limit.count < slots.length);
  return firstFound(answersTo(chooseExempt(limits, slots, solver), (chosen) => distinct(demand, chosen, solver)));
}

function* chooseExempt(limits: ArrayDemand['atMost'], slots: Slots, solver: InnerSolver): Iterable<Slots> {
  const [limit, ...others] = limits;
  if (limit === undefined) {
    yield slots;
    return;
  }
  for (const exempt of subsets(slots.length, limit.count)) {
    solver.spend();
    const restricted = slots.map((slot, index) => (exempt.has(index) ? slot : [...slot, solver.not(limit.each)]));
    yield* chooseExempt(others, restricted, solver);
  }
}

function* subsets(
  length: number,
  size: number,
  from = 0,
  chosen: readonly number[] = [],
): Iterable<ReadonlySet<number>> {
  if (chosen.length === size) yield new Set(chosen);
  else for (let index = from; index < length; index += 1) yield* subsets(length, size, index + 1, [...chosen, index]);
}

function distinct(demand: ArrayDemand, slots: Slots, solver: InnerSolver): Answer {
  if (!demand.repeated) return demand.unique ? fillUnique(slots, solver) : fill(slots, solver);
  if (demand.unique) return NONE;
  const pairs = slots.flatMap((_, first) =>
    slots.slice(first + 1).map((_slot, offset) => [first, first + 1 + offset] as const),
  );
  return firstFound(answersTo(pairs, ([first, second]) => fillWithTwin(slots, first, second, solver)));
}

function fill(slots: Slots, solver: InnerSolver): Answer {
  const values: JsonValue[] = [];
  let unknown = false;
  for (const slot of slots) {
    const answer = solver.solve(slot);
    if (answer.status === 'none') return NONE;
    if (answer.status === 'found') values.push(answer.value);
    else unknown = true;
  }
  return unknown ? UNKNOWN : found(values);
}

function fillWithTwin(slots: Slots, first: number, second: number, solver: InnerSolver): Answer {
  const both = [...(slots[first] ?? []), ...(slots[second] ?? [])];
  return fill(
    slots.map((slot, index) => (index === first || index === second ? both : slot)),
    solver,
  );
}

/** Different values: each position avoids those before it. Where that fails, another choice might have worked, and all are weighed. */
function fillUnique(slots: Slots, solver: InnerSolver): Answer {
  const plain = fill(slots, solver);
  if (plain.status !== 'found' || slots.length < 2) return plain;
  const values: JsonValue[] = [];
  for (const slot of slots) {
    const answer = solver.solve([...slot, ...solver.differentFrom(values)]);
    if (answer.status !== 'found') return differentValues(slots, solver);
    values.push(answer.value);
  }
  return found(values);
}

/** A long array whose elements beyond the named ones are alike. Only a found array or an impossible element is certain here. */
function solveLong(demand: ArrayDemand, solver: InnerSolver): Answer {
  const length = Math.max(demand.minItems, Math.max(0, ...demand.items.map((item) => item.index + 1)));
  if (
    length > MAX_BUILT_LENGTH ||
    demand.unique ||
    demand.repeated ||
    demand.wanted.length > 0 ||
    demand.atMost.some((limit) => limit.count > 0)
  )
    return UNKNOWN;
  return solveLength(demand, length, solver);
}
