import type { JsonType, Scalar } from '../json-value.ts';
import type { Formula } from './formula.ts';

type Unnumbered<F> = F extends Formula ? Omit<F, 'id'> : never;

/** Makes formulas so that equal ones are the same object: sharing keeps comparisons small, and `A and not A` is seen at once. */
export class Formulas {
  readonly #known = new Map<string, Formula>();
  readonly true: Formula = this.#intern('true', { op: 'true' });
  readonly false: Formula = this.#intern('false', { op: 'false' });

  type(type: JsonType): Formula {
    return this.atom({ op: 'type', type });
  }

  in(values: readonly Scalar[]): Formula {
    const distinct = [...new Map(values.map((value) => [JSON.stringify(value), value])).entries()].sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    return distinct.length === 0
      ? this.false
      : this.#intern(`in ${distinct.map(([text]) => text).join()}`, {
          op: 'in',
          values: distinct.map(([, value]) => value),
        });
  }

  /** An atom that holds no list; its members, inner formulas by their id, are its identity. */
  atom(atom: Unnumbered<Formula>): Formula {
    const key = JSON.stringify(atom, (_name, inner: unknown) =>
      inner !== atom && isFormula(inner) ? inner.id : inner,
    );
    return this.#intern(key, atom);
  }

  ref(name: string, target: () => Formula): Formula {
    return this.#intern(`ref ${name}`, { op: 'ref', target });
  }

  not(part: Formula): Formula {
    if (part === this.true) return this.false;
    if (part === this.false) return this.true;
    return part.op === 'not' ? part.part : this.#intern(`not ${part.id}`, { op: 'not', part });
  }

  and(parts: readonly Formula[]): Formula {
    return this.#junction('and', parts, this.true, this.false);
  }

  or(parts: readonly Formula[]): Formula {
    return this.#junction('or', parts, this.false, this.true);
  }

  /** The formula where the value is of the type, nothing where it is of another. */
  onlyFor(type: JsonType, formula: Formula): Formula {
    return this.or([this.not(this.type(type)), formula]);
  }

  #junction(op: 'and' | 'or', parts: readonly Formula[], neutral: Formula, absorbing: Formula): Formula {
    const distinct = new Map<number, Formula>();
    for (const part of this.#mergeLists(op, parts))
      if (part === absorbing) return absorbing;
      else if (part !== neutral) distinct.set(part.id, part);
    const [only] = distinct.values();
    if (only === undefined) return neutral;
    if (distinct.size === 1) return only;
    for (const part of distinct.values()) if (part.op === 'not' && distinct.has(part.part.id)) return absorbing;
    const sorted = [...distinct.values()].sort((a, b) => a.id - b.id);
    return this.#intern(`${op} ${sorted.map(({ id }) => id).join()}`, { op, parts: sorted });
  }

  /** The parts of the same kind without their brackets, and one list for several: a long enum is one question rather than thousands. */
  #mergeLists(op: 'and' | 'or', parts: readonly Formula[]): readonly Formula[] {
    const flat: Formula[] = [];
    const lists: (readonly Scalar[])[] = [];
    for (const part of parts)
      for (const inner of part.op === op ? part.parts : [part]) {
        flat.push(inner);
        if (inner.op === 'in') lists.push(inner.values);
      }
    const [first = [], ...others] = lists;
    if (others.length === 0) return flat;
    const sets = others.map((values) => new Set(values));
    const merged = op === 'or' ? lists.flat() : first.filter((value) => sets.every((values) => values.has(value)));
    return [...flat.filter((part) => part.op !== 'in'), this.in(merged)];
  }

  #intern(key: string, formula: Unnumbered<Formula>): Formula {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // Adding the number makes the member of the union whole again, which a spread over a union cannot show.
    const made = { ...formula, id: this.#known.size } as Formula;
    this.#known.set(key, made);
    return made;
  }
}

function isFormula(value: unknown): value is Formula {
  return typeof value === 'object' && value !== null && 'op' in value && 'id' in value;
}
