import type { Expression, Expressions } from './expression.ts';

/** Whether the empty text is in the set. */
export function acceptsEmpty(expression: Expression): boolean {
  switch (expression.op) {
    case 'nothing':
    case 'chars':
      return false;
    case 'empty':
      return true;
    case 'sequence':
      return acceptsEmpty(expression.first) && acceptsEmpty(expression.second);
    case 'any':
      return expression.parts.some(acceptsEmpty);
    case 'all':
      return expression.parts.every(acceptsEmpty);
    case 'repeat':
      return expression.min === 0 || acceptsEmpty(expression.part);
    case 'not':
      return !acceptsEmpty(expression.part);
  }
}

/** What may follow the character: Brzozowski's derivative of the set. */
export function derive(expression: Expression, point: number, make: Expressions): Expression {
  switch (expression.op) {
    case 'nothing':
    case 'empty':
      return make.nothing;
    case 'chars':
      return expression.ranges.some(([from, to]) => from <= point && point <= to) ? make.empty : make.nothing;
    case 'sequence': {
      const through = make.sequence(derive(expression.first, point, make), expression.second);
      return acceptsEmpty(expression.first) ? make.any([through, derive(expression.second, point, make)]) : through;
    }
    case 'any':
      return make.any(expression.parts.map((part) => derive(part, point, make)));
    case 'all':
      return make.all(expression.parts.map((part) => derive(part, point, make)));
    case 'repeat': {
      const rest = make.repeat(expression.part, Math.max(expression.min - 1, 0), expression.max - 1);
      return make.sequence(derive(expression.part, point, make), rest);
    }
    case 'not':
      return make.not(derive(expression.part, point, make));
  }
}

/** One character for each set of characters that no part of the expression tells apart; readable ones where there is a choice. */
export function representatives(expression: Expression, last: number): readonly number[] {
  const bounds = new Set<number>([0, 0xd800, 0xe000, last + 1]);
  const seen = new Set<Expression>();
  const pending: Expression[] = [expression];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (seen.has(part)) continue;
    seen.add(part);
    if (part.op === 'chars') for (const [from, to] of part.ranges) bounds.add(from).add(to + 1);
    if (part.op === 'sequence') pending.push(part.first, part.second);
    if (part.op === 'any' || part.op === 'all') pending.push(...part.parts);
    if (part.op === 'repeat' || part.op === 'not') pending.push(part.part);
  }
  const sorted = [...bounds].filter((bound) => bound <= last + 1).sort((a, b) => a - b);
  const points = sorted.slice(0, -1).map((from, index) => readable(from, (sorted[index + 1] ?? from + 1) - 1));
  // Half of a surrogate pair is no character. Readable characters come first, so that the texts found are readable.
  return points.filter((point) => point < 0xd800 || point > 0xdfff).sort((a, b) => rank(a) - rank(b));
}

const PREFERRED: readonly number[] = Array.from('abzkxAZ0159-_ .').map((char) => char.codePointAt(0) ?? 0);

function rank(point: number): number {
  const preferred = PREFERRED.indexOf(point);
  return preferred >= 0 ? preferred : point >= 33 && point < 127 ? PREFERRED.length : PREFERRED.length + 1;
}

function readable(from: number, to: number): number {
  return PREFERRED.find((point) => from <= point && point <= to) ?? (from < 33 && to >= 33 && to < 127 ? 33 : from);
}
