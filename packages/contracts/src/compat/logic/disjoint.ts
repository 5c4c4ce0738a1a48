import { JSON_TYPES, type JsonType, jsonTypeOf, type Scalar } from '../json-value.ts';
import { finiteValues } from './finite-values.ts';
import type { Formula } from './formula.ts';
import type { Formulas } from './formulas.ts';
import { specialise } from './specialise.ts';

/** Whether no value can satisfy both, by their types or by a required member with different constants: the cheap cases only. */
export function provablyDisjoint(a: Formula, b: Formula, make: Formulas): boolean {
  const shared = possibleTypes(a).filter((type) => possibleTypes(b).includes(type));
  if (shared.length === 0) return true;
  if (shared.length > 1 || shared[0] !== 'object') return scalarsApart(a, b);
  const others = discriminators(specialise(b, 'object', make));
  return [...discriminators(specialise(a, 'object', make))].some(([name, values]) => {
    const theirs = others.get(name);
    return theirs !== undefined && !values.some((value) => theirs.includes(value));
  });
}

function scalarsApart(a: Formula, b: Formula): boolean {
  const first = finiteValues(a);
  const second = finiteValues(b);
  return first !== null && second !== null && !first.some((value) => second.includes(value));
}

/** The types that a value of the formula may have; more than it can have is allowed, less is not. */
export function possibleTypes(formula: Formula): readonly JsonType[] {
  switch (formula.op) {
    case 'type':
      return [formula.type];
    case 'in':
      return JSON_TYPES.filter((type) => formula.values.some((value) => jsonTypeOf(value) === type));
    case 'false':
      return [];
    case 'and':
      return JSON_TYPES.filter((type) => formula.parts.every((part) => possibleTypes(part).includes(type)));
    case 'or':
      return JSON_TYPES.filter((type) => formula.parts.some((part) => possibleTypes(part).includes(type)));
    case 'not': {
      const { part } = formula;
      return part.op === 'type' ? JSON_TYPES.filter((type) => type !== part.type) : JSON_TYPES;
    }
    default:
      return JSON_TYPES;
  }
}

/** Members that an object must have with one of finitely many values, from a formula for objects. */
export function discriminators(object: Formula): ReadonlyMap<string, readonly Scalar[]> {
  const parts = object.op === 'and' ? object.parts : [object];
  const required = new Set(parts.flatMap((part) => (part.op === 'has' ? [part.name] : [])));
  const found = new Map<string, readonly Scalar[]>();
  for (const part of parts) {
    if (part.op !== 'member' || !required.has(part.name)) continue;
    const values = finiteValues(part.each);
    if (values !== null) found.set(part.name, values);
  }
  return found;
}
