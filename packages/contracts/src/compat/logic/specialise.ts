import { type JsonType, jsonTypeOf } from '../json-value.ts';
import type { Formula } from './formula.ts';
import type { Formulas } from './formulas.ts';

/** The formula for values of one type: questions about the type are answered, and the guards of its keywords fall away. */
export function specialise(formula: Formula, type: JsonType, make: Formulas): Formula {
  switch (formula.op) {
    case 'type':
      return formula.type === type ? make.true : make.false;
    case 'in':
      return make.in(formula.values.filter((value) => jsonTypeOf(value) === type));
    case 'not':
      return make.not(specialise(formula.part, type, make));
    case 'and':
      return make.and(formula.parts.map((part) => specialise(part, type, make)));
    case 'or':
      return make.or(formula.parts.map((part) => specialise(part, type, make)));
    default:
      return formula;
  }
}
