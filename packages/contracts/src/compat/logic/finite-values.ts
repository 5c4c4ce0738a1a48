import type { Scalar } from '../json-value.ts';
import type { Formula } from './formula.ts';
import { holds } from './holds.ts';

/** The scalars that a formula allows, where it is plain that there are finitely many and no arrays or objects; else null. */
export function finiteValues(formula: Formula): readonly Scalar[] | null {
  switch (formula.op) {
    case 'in':
      return formula.values;
    case 'false':
      return [];
    case 'or': {
      const lists = formula.parts.map(finiteValues);
      return lists.every((list) => list !== null) ? lists.flat() : null;
    }
    case 'and': {
      const list = formula.parts.map(finiteValues).find((values) => values !== null);
      return list?.filter((value) => holds(formula, value) !== false) ?? null;
    }
    default:
      return null;
  }
}
