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
  readonly wanted: readonly Wanted[];
  /** At most so many elements may satisfy `each`. */
  readonly atMost: readonly { readonly each: Formula; readonly count: number }[];
  readonly unique: boolean;
  readonly repeated: boolean;
}
/** So many different elements, each somewhere from an index on. */
interface Wanted {
  readonly from: number;
  readonly each: Formula;
  readonly count: number;
}

/** Longer arrays than this are not built: the witness of a bound of some thousands is one null for each element. */
const MAX_BUILT_LENGTH = 20_000;

export function solveArray(literals: readonly Literal[], solver: InnerSolver): Answer {
  const demand = demandOf(literals, solver);
  if (demand.minItems > demand.maxItems) return NONE;
  // Elements beyond the named positions that nothing wants can be left out, so no longer array is worth a try.
  const named = Math.max(0, ...demand.items.map((item) => item.index + 1), ...demand.rests.map((rest) => rest.from));
  const wanted = demand.wanted.reduce((sum, { count }) => sum + count, 0);
  const enough = Math.max(demand.minItems, named + wanted + (demand.repeated ? 2 : 0));
  const longest = Math.min(demand.maxItems, enough);
  if (longest > MAX_BUILT_LENGTH) return UNKNOWN;
  const lengths = Array.from({ length: longest - demand.minItems + 1 }, (_, index) => demand.minItems + index);
  // Positions beyond the named ones are as good as each other, so whatever needs one of them takes the first.
  const exempt = demand.atMost.reduce((sum, { count }) => sum + Math.min(count, longest), 0);
  const choices = named + wanted + (demand.repeated ? 2 : 0) + exempt;
  return firstFound(
    answersTo(lengths, (length) => solveLength(demand, { length, choices: Math.min(length, choices) }, solver)),
  );
}

// eslint-disable-next-line complexity -- one line for each atom and sign, and they share what they fill
function demandOf(literals: readonly Literal[], solver: InnerSolver): ArrayDemand {
  const items: { index: number; each: Formula }[] = [];
  const rests: { from: number; each: Formula }[] = [];
  const wanted: Wanted[] = [];
  const atMost: { each: Formula; count: number }[] = [];
  let [minItems, maxItems, unique, repeated] = [0, Infinity, false, false];
  for (const { formula, positive } of literals) {
    if (formula.op === 'min-items' && positive) minItems = Math.max(minItems, formula.count);
    if (formula.op === 'min-items' && !positive) maxItems = Math.min(maxItems, formula.count - 1);
    if (formula.op === 'item' && positive) items.push(formula);
    if (formula.op === 'item' && !positive) {
      minItems = Math.max(minItems, formula.index + 1);
      items.push({ index: formula.index, each: solver.not(formula.each) });
    }
    if (formula.op === 'rest' && positive) rests.push(formula);
    if (formula.op === 'rest' && !positive)
      wanted.push({ from: formula.from, each: solver.not(formula.each), count: 1 });
    if (formula.op === 'contains' && positive) wanted.push({ from: 0, each: formula.each, count: formula.count });
    if (formula.op === 'contains' && !positive) atMost.push({ each: formula.each, count: formula.count - 1 });
    if (formula.op === 'unique' && positive) unique = true;
    if (formula.op === 'unique' && !positive) repeated = true;
  }
  return { minItems, maxItems, items, rests, wanted, atMost, unique, repeated };
}

/** The formulas for each position of an array of one length. */
type Slots = readonly (readonly Formula[])[];
interface Size {
  readonly length: number;
  /** Only the first so many positions are worth a choice. */
  readonly choices: number;
}

function solveLength(demand: ArrayDemand, size: Size, solver: InnerSolver): Answer {
  const slots = Array.from({ length: size.length }, (_, index) => [
    ...demand.items.filter((item) => item.index === index).map((item) => item.each),
    ...demand.rests.filter((rest) => index >= rest.from).map((rest) => rest.each),
    ...demand.atMost.filter((limit) => limit.count === 0).map((limit) => solver.not(limit.each)),
  ]);
  return firstFound(
    answersTo(placeWanted(demand.wanted, slots, size.choices, solver), (placed) =>
      limited(demand, placed, size, solver),
    ),
  );
}

/** Every way to give the wanted elements their positions that makes a difference. */
function* placeWanted(wanted: readonly Wanted[], slots: Slots, choices: number, solver: InnerSolver): Iterable<Slots> {
  const [next, ...later] = wanted;
  if (next === undefined) yield slots;
  else
    for (const positions of chosenPositions(slots, { from: next.from, to: choices, size: next.count }, solver)) {
      solver.spend(slots.length);
      const placed = slots.map((slot, index) => (positions.has(index) ? [...slot, next.each] : slot));
      yield* placeWanted(later, placed, choices, solver);
    }
}

/** A limit above zero chooses which positions may satisfy it; all others must not. */
function limited(demand: ArrayDemand, slots: Slots, size: Size, solver: InnerSolver): Answer {
  const limits = demand.atMost.filter((limit) => limit.count > 0 && limit.count < size.length);
  return firstFound(
    answersTo(chooseExempt(limits, slots, size.choices, solver), (chosen) => distinct(demand, chosen, size, solver)),
  );
}

function* chooseExempt(
  limits: ArrayDemand['atMost'],
  slots: Slots,
  choices: number,
  solver: InnerSolver,
): Iterable<Slots> {
  const [limit, ...others] = limits;
  if (limit === undefined) yield slots;
  else
    for (const exempt of chosenPositions(slots, { from: 0, to: choices, size: limit.count }, solver)) {
      solver.spend(slots.length);
      const restricted = slots.map((slot, index) => (exempt.has(index) ? slot : [...slot, solver.not(limit.each)]));
      yield* chooseExempt(others, restricted, choices, solver);
    }
}

/** Every choice of so many positions, but for exchanges of positions of which the same is demanded. */
function* chosenPositions(
  slots: Slots,
  { from, to, size }: { readonly from: number; readonly to: number; readonly size: number },
  solver: InnerSolver,
  chosen: readonly number[] = [],
): Iterable<ReadonlySet<number>> {
  if (chosen.length === size) yield new Set(chosen);
  const tried = new Set<string>();
  for (let index = from; chosen.length < size && index <= to - (size - chosen.length); index += 1) {
    solver.spend();
    const demanded = (slots[index] ?? []).map(({ id }) => id).join();
    if (tried.has(demanded)) continue;
    tried.add(demanded);
    yield* chosenPositions(slots, { from: index + 1, to, size }, solver, [...chosen, index]);
  }
}

function distinct(demand: ArrayDemand, slots: Slots, { choices }: Size, solver: InnerSolver): Answer {
  if (!demand.repeated) return demand.unique ? fillUnique(slots, solver) : fill(slots, solver);
  if (demand.unique) return NONE;
  const pairs = chosenPositions(slots, { from: 0, to: choices, size: 2 }, solver);
  return firstFound(answersTo(pairs, (twins) => fillWithTwin(slots, twins, solver)));
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

function fillWithTwin(slots: Slots, twins: ReadonlySet<number>, solver: InnerSolver): Answer {
  const both = slots.filter((_, index) => twins.has(index)).flat();
  return fill(
    slots.map((slot, index) => (twins.has(index) ? both : slot)),
    solver,
  );
}

/** More places than this are not given different values, which costs the square of their number. */
const MAX_DIFFERENT = 200;

/** Different values: each position avoids those before it. Where that fails, another choice might have worked, and all are weighed. */
function fillUnique(slots: Slots, solver: InnerSolver): Answer {
  const plain = fill(slots, solver);
  if (plain.status !== 'found' || slots.length < 2) return plain;
  if (slots.length > MAX_DIFFERENT) return UNKNOWN;
  const values: JsonValue[] = [];
  for (const slot of slots) {
    const answer = solver.solve([...slot, ...solver.differentFrom(values)]);
    if (answer.status !== 'found') return differentValues(slots, solver);
    values.push(answer.value);
  }
  return found(values);
}
