import { decimalOf, isMultipleOf } from '../decimal.ts';
import { codePointLength, jsonTypeOf, type Scalar } from '../json-value.ts';
import type { Formula } from './formula.ts';

/** Whether a scalar satisfies the formula; null where something about it is not modelled. */
// eslint-disable-next-line complexity -- one case for each kind of formula, each a line
export function holds(formula: Formula, value: Scalar): boolean | null {
  switch (formula.op) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'and':
      return every(formula.parts.map((part) => holds(part, value)));
    case 'or':
      return negated(every(formula.parts.map((part) => negated(holds(part, value)))));
    case 'not':
      return negated(holds(formula.part, value));
    case 'ref':
      return holds(formula.target(), value);
    case 'type':
      return formula.type === jsonTypeOf(value);
    case 'in':
      return formula.values.includes(value);
    case 'opaque':
      return null;
    case 'above':
      return typeof value === 'number' && (value > formula.bound || (formula.orEqual && value === formula.bound));
    case 'below':
      return typeof value === 'number' && (value < formula.bound || (formula.orEqual && value === formula.bound));
    case 'multiple':
      return typeof value === 'number' && isMultipleOf(decimalOf(value), decimalOf(formula.of));
    case 'min-length':
      return typeof value === 'string' && codePointLength(value) >= formula.count;
    case 'pattern':
      return typeof value === 'string' && matches(formula.pattern, value);
    default:
      // Atoms of arrays and objects stand behind a guard that a scalar does not pass.
      return false;
  }
}

const compiled = new Map<string, RegExp | null>();

/** Whether an ECMAScript pattern finds a match; null for a pattern that does not compile. */
export function matches(pattern: string, text: string): boolean | null {
  let expression = compiled.get(pattern);
  if (expression === undefined) {
    expression = compilePattern(pattern);
    compiled.set(pattern, expression);
  }
  return expression === null ? null : expression.test(text);
}

function compilePattern(pattern: string): RegExp | null {
  // Older patterns escape characters that need no escape, which only the Unicode mode refuses.
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      continue;
    }
  }
  return null;
}

function every(answers: readonly (boolean | null)[]): boolean | null {
  if (answers.includes(false)) return false;
  return answers.includes(null) ? null : true;
}

function negated(answer: boolean | null): boolean | null {
  return answer === null ? null : !answer;
}
