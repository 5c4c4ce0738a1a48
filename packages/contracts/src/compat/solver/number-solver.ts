import {
  aligned,
  type Decimal,
  decimalOf,
  floorQuotient,
  isMultipleOf,
  leastCommonMultiple,
  numberOf,
} from '../decimal.ts';
import { holds } from '../logic/holds.ts';
import { type Answer, found, type Literal, NONE, UNKNOWN } from './answer.ts';
import { listedValues, solveFinite } from './scalar-solvers.ts';

interface Bound {
  readonly value: number;
  readonly inclusive: boolean;
}
interface Range {
  readonly low: Bound | null;
  readonly high: Bound | null;
}

/** So many numbers are tried before the answer is that none was found. */
const MAX_CANDIDATES = 2_000;

export function solveNumber(literals: readonly Literal[]): Answer {
  const listed = listedValues(literals);
  if (listed !== null) return solveFinite(listed, literals);
  const range = rangeOf(literals);
  if (isEmpty(range)) return NONE;
  const units = multiples(literals, true);
  return units.length === 0
    ? fromContinuum(range, literals)
    : fromMultiples(range, units.reduce(leastCommonMultiple), literals);
}

function multiples(literals: readonly Literal[], sign: boolean): readonly Decimal[] {
  return literals.flatMap(({ formula, positive }) =>
    formula.op === 'multiple' && positive === sign ? [decimalOf(formula.of)] : [],
  );
}

/** The negation of a bound bounds the other side. */
function rangeOf(literals: readonly Literal[]): Range {
  let low: Bound | null = null;
  let high: Bound | null = null;
  for (const { formula, positive } of literals) {
    if (formula.op !== 'above' && formula.op !== 'below') continue;
    const bound = { value: formula.bound, inclusive: formula.orEqual === positive };
    if ((formula.op === 'above') === positive) {
      if (low === null || bound.value > low.value || (bound.value === low.value && !bound.inclusive)) low = bound;
    } else if (high === null || bound.value < high.value || (bound.value === high.value && !bound.inclusive))
      high = bound;
  }
  return { low, high };
}

function isEmpty({ low, high }: Range): boolean {
  if (low === null || high === null) return false;
  return low.value > high.value || (low.value === high.value && !(low.inclusive && high.inclusive));
}

function satisfiesAll(value: number, literals: readonly Literal[]): boolean {
  return literals.every(({ formula, positive }) => holds(formula, value) === positive);
}

/** Between two different bounds there are more numbers than anything can exclude one by one. */
function fromContinuum(range: Range, literals: readonly Literal[]): Answer {
  const { low, high } = range;
  if (low !== null && high !== null && low.value === high.value)
    return satisfiesAll(low.value, literals) ? found(low.value) : NONE;
  for (const candidate of candidates(range)) if (satisfiesAll(candidate, literals)) return found(candidate);
  return UNKNOWN;
}

function* candidates({ low, high }: Range): Iterable<number> {
  const anchors = [low?.value, high?.value, 0].filter((value) => value !== undefined);
  for (const anchor of anchors)
    for (const offset of [0, 1, -1, 0.5, -0.5, 0.1, -0.1, 1.5, -1.5, 2, -2, 3, -3, 0.01, -0.01])
      yield round(anchor + offset);
  // Beside a very large number one is nothing.
  for (const anchor of anchors) yield* [anchor * 1.1, anchor * 0.9].filter(Number.isFinite);
  if (low !== null && high !== null)
    for (let part = 1; part < 64; part += 1) yield low.value + ((high.value - low.value) * part) / 64;
  for (let step = 1; step < MAX_CANDIDATES; step += 1) {
    const offset = step * 1.01;
    yield round(low !== null ? low.value + offset : high !== null ? high.value - offset : offset);
  }
}

function round(value: number): number {
  return Number(value.toPrecision(15));
}

/** Multiples of a unit are as good as whole numbers. */
function fromMultiples(range: Range, unit: Decimal, literals: readonly Literal[]): Answer {
  if (multiples(literals, false).some((forbidden) => isMultipleOf(unit, forbidden))) return NONE;
  const first = range.low === null ? null : firstFactor(range.low, unit);
  const last = range.high === null ? null : lastFactor(range.high, unit);
  if (first !== null && last !== null && first > last) return NONE;
  let exact = true;
  let tried = 0;
  for (const factor of factors(first, last)) {
    if (tried >= MAX_CANDIDATES) return UNKNOWN;
    tried += 1;
    const decimal: Decimal = { digits: unit.digits * factor, exponent: unit.exponent };
    const value = numberOf(decimal);
    if (!isSame(decimalOf(value), decimal)) exact = false;
    else if (satisfiesAll(value, literals)) return found(value);
  }
  return exact ? NONE : UNKNOWN;
}

function firstFactor(low: Bound, unit: Decimal): bigint {
  const floor = floorQuotient(decimalOf(low.value), unit);
  return low.inclusive && isMultipleOf(decimalOf(low.value), unit) ? floor : floor + 1n;
}

function lastFactor(high: Bound, unit: Decimal): bigint {
  const floor = floorQuotient(decimalOf(high.value), unit);
  return !high.inclusive && isMultipleOf(decimalOf(high.value), unit) ? floor - 1n : floor;
}

function* factors(first: bigint | null, last: bigint | null): Iterable<bigint> {
  if (first !== null) for (let factor = first; last === null || factor <= last; factor += 1n) yield factor;
  else if (last !== null) for (let factor = last; ; factor -= 1n) yield factor;
  else for (let factor = 0n; ; factor = factor > 0n ? -factor : 1n - factor) yield factor;
}

function isSame(a: Decimal, b: Decimal): boolean {
  const both = aligned(a, b);
  return both.a === both.b;
}
