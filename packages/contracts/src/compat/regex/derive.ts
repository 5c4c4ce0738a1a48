import type { CharRange, Expression, Expressions } from './expression.ts';

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

/** The texts of the expression, each backwards. */
export function reversed(expression: Expression, make: Expressions): Expression {
  switch (expression.op) {
    case 'nothing':
    case 'empty':
    case 'chars':
      return expression;
    case 'sequence':
      return make.sequence(reversed(expression.second, make), reversed(expression.first, make));
    case 'any':
      return make.any(expression.parts.map((part) => reversed(part, make)));
    case 'all':
      return make.all(expression.parts.map((part) => reversed(part, make)));
    case 'repeat':
      return make.repeat(reversed(expression.part, make), expression.min, expression.max);
    case 'not':
      return make.not(reversed(expression.part, make));
  }
}

/** One character for each set of characters that no part of the expression tells apart; readable ones where there is a choice. */
export function representatives(expression: Expression, last: number): readonly number[] {
  const classes = charClasses(expression);
  const points = new Map<string, number>();
  for (const { from, to, inClasses } of segments(classes, last)) {
    const point = readable(from, to);
    const before = points.get(inClasses);
    if (before === undefined || rank(point) < rank(before)) points.set(inClasses, point);
  }
  // Readable characters come first, so that the texts found are readable.
  return [...points.values()].sort((a, b) => rank(a) - rank(b));
}

interface Segment {
  readonly from: number;
  readonly to: number;
  inClasses: string;
}

/** The characters from bound to bound, with the classes that each lies in. Half of a surrogate pair is no character. */
function segments(classes: readonly (readonly CharRange[])[], last: number): readonly Segment[] {
  const bounds = new Set<number>([0, 0xd800, 0xe000, last + 1]);
  for (const ranges of classes) for (const [from, to] of ranges) bounds.add(from).add(to + 1);
  const sorted = [...bounds].filter((bound) => bound <= last + 1).sort((a, b) => a - b);
  const all = sorted
    .slice(0, -1)
    .map((from, index): Segment => ({ from, to: (sorted[index + 1] ?? from + 1) - 1, inClasses: '' }));
  const indexAt = new Map(all.map(({ from }, index) => [from, index]));
  for (const [number, ranges] of classes.entries())
    for (const [from, to] of ranges)
      for (const segment of all.slice(indexAt.get(from) ?? all.length, indexAt.get(to + 1) ?? all.length))
        segment.inClasses += `${number} `;
  return all.filter(({ from }) => from < 0xd800 || from >= 0xe000);
}

function charClasses(expression: Expression): readonly (readonly CharRange[])[] {
  const classes: (readonly CharRange[])[] = [];
  const seen = new Set<Expression>();
  const pending: Expression[] = [expression];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (seen.has(part)) continue;
    seen.add(part);
    if (part.op === 'chars') classes.push(part.ranges);
    if (part.op === 'sequence') pending.push(part.first, part.second);
    if (part.op === 'any' || part.op === 'all') pending.push(...part.parts);
    if (part.op === 'repeat' || part.op === 'not') pending.push(part.part);
  }
  return classes;
}

const PREFERRED: readonly number[] = Array.from('abzkxAZ0159-_ .').map((char) => char.codePointAt(0) ?? 0);

function rank(point: number): number {
  const preferred = PREFERRED.indexOf(point);
  return preferred >= 0 ? preferred : point >= 33 && point < 127 ? PREFERRED.length : PREFERRED.length + 1;
}

function readable(from: number, to: number): number {
  return PREFERRED.find((point) => from <= point && point <= to) ?? (from < 33 && to >= 33 && to < 127 ? 33 : from);
}
