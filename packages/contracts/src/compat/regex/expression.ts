/**
 * Regular expressions as sets of texts, closed under intersection and complement. Texts stand between two markers, which `^` and `$`
 * consume, so anchors need no special case. Equal expressions are one object, numbered by `id`.
 */
export type Expression =
  | { readonly op: 'nothing' | 'empty'; readonly id: number }
  | { readonly op: 'chars'; readonly id: number; readonly ranges: readonly CharRange[] }
  | { readonly op: 'sequence'; readonly id: number; readonly first: Expression; readonly second: Expression }
  | { readonly op: 'any' | 'all'; readonly id: number; readonly parts: readonly Expression[] }
  | {
      readonly op: 'repeat';
      readonly id: number;
      readonly part: Expression;
      readonly min: number;
      readonly max: number;
    }
  | { readonly op: 'not'; readonly id: number; readonly part: Expression };

/** Code points from..to, both included. */
export type CharRange = readonly [from: number, to: number];

export const LAST_CODE_POINT = 0x10ffff;
/** The two markers lie beyond every code point. */
export const START: number = LAST_CODE_POINT + 1;
export const END: number = LAST_CODE_POINT + 2;

type Unnumbered<E> = E extends Expression ? Omit<E, 'id'> : never;

/** Makes expressions so that equal ones are the same object, which is what bounds the number of derivatives. */
export class Expressions {
  readonly #known = new Map<string, Expression>();
  readonly nothing: Expression = this.#intern('nothing', { op: 'nothing' });
  readonly empty: Expression = this.#intern('empty', { op: 'empty' });

  chars(ranges: readonly CharRange[]): Expression {
    const merged = mergeRanges(ranges);
    return merged.length === 0
      ? this.nothing
      : this.#intern(`chars ${merged.join(';')}`, { op: 'chars', ranges: merged });
  }

  sequence(first: Expression, second: Expression): Expression {
    if (first === this.nothing || second === this.nothing) return this.nothing;
    if (first === this.empty) return second;
    if (second === this.empty) return first;
    if (first.op === 'sequence') return this.sequence(first.first, this.sequence(first.second, second));
    return this.#intern(`seq ${first.id} ${second.id}`, { op: 'sequence', first, second });
  }

  any(parts: readonly Expression[]): Expression {
    return this.#junction('any', parts, this.nothing, this.not(this.nothing));
  }

  all(parts: readonly Expression[]): Expression {
    return this.#junction('all', parts, this.not(this.nothing), this.nothing);
  }

  repeat(part: Expression, min: number, max: number): Expression {
    if (max === 0 || part === this.empty) return this.empty;
    if (part === this.nothing) return min === 0 ? this.empty : this.nothing;
    return min === 1 && max === 1
      ? part
      : this.#intern(`rep ${part.id} ${min} ${max}`, { op: 'repeat', part, min, max });
  }

  not(part: Expression): Expression {
    return part.op === 'not' ? part.part : this.#intern(`not ${part.id}`, { op: 'not', part });
  }

  #junction(op: 'any' | 'all', parts: readonly Expression[], neutral: Expression, absorbing: Expression): Expression {
    const flat = parts.flatMap((part) => (part.op === op ? part.parts : [part])).filter((part) => part !== neutral);
    const distinct = [...new Map(flat.map((part) => [part.id, part])).values()].sort((a, b) => a.id - b.id);
    if (distinct.includes(absorbing)) return absorbing;
    const [only] = distinct;
    if (only === undefined) return neutral;
    return distinct.length === 1
      ? only
      : this.#intern(`${op} ${distinct.map((part) => part.id).join()}`, { op, parts: distinct });
  }

  #intern(key: string, expression: Unnumbered<Expression>): Expression {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // Adding the number makes the member of the union whole again, which a spread over a union cannot show.
    const made = { ...expression, id: this.#known.size } as Expression;
    this.#known.set(key, made);
    return made;
  }
}

/** Sorted ranges that neither touch nor overlap. */
export function mergeRanges(ranges: readonly CharRange[]): readonly CharRange[] {
  const merged: [number, number][] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** Every code point that is not in the ranges. */
export function invertRanges(ranges: readonly CharRange[]): readonly CharRange[] {
  const inverted: CharRange[] = [];
  let next = 0;
  for (const [from, to] of mergeRanges(ranges)) {
    if (from > next) inverted.push([next, from - 1]);
    next = to + 1;
  }
  return next <= LAST_CODE_POINT ? [...inverted, [next, LAST_CODE_POINT]] : inverted;
}
