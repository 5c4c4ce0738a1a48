import type { JsonType, Scalar } from '../json-value.ts';

/**
 * What a schema says, as a formula over one JSON value. Keywords that speak about one type only are guarded by it, so an atom is
 * asked for values of its own type alone. Equal formulas are one object (see {@link Formulas}), so `id` stands for the meaning.
 */
export type Formula =
  | { readonly op: 'true' | 'false'; readonly id: number }
  | { readonly op: 'and' | 'or'; readonly id: number; readonly parts: readonly Formula[] }
  | { readonly op: 'not'; readonly id: number; readonly part: Formula }
  /** A recursive definition, unfolded where it is met. */
  | { readonly op: 'ref'; readonly id: number; readonly target: () => Formula }
  /** Something that is not modelled: neither it nor its opposite is ever proved. */
  | { readonly op: 'opaque'; readonly id: number; readonly what: string }
  | Atom;

export type Atom = AnyTypeAtom | NumberAtom | StringAtom | ArrayAtom | ObjectAtom;

type AnyTypeAtom =
  | { readonly op: 'type'; readonly id: number; readonly type: JsonType }
  | { readonly op: 'in'; readonly id: number; readonly values: readonly Scalar[] };

export type NumberAtom =
  | { readonly op: 'above'; readonly id: number; readonly bound: number; readonly orEqual: boolean }
  | { readonly op: 'below'; readonly id: number; readonly bound: number; readonly orEqual: boolean }
  | { readonly op: 'multiple'; readonly id: number; readonly of: number };

export type StringAtom =
  | { readonly op: 'min-length'; readonly id: number; readonly count: number }
  | { readonly op: 'pattern'; readonly id: number; readonly pattern: string };

export type ArrayAtom =
  /** The element at `index`, if there is one, is as `each` says. */
  | { readonly op: 'item'; readonly id: number; readonly index: number; readonly each: Formula }
  /** Every element from index `from` on is as `each` says. */
  | { readonly op: 'rest'; readonly id: number; readonly from: number; readonly each: Formula }
  | { readonly op: 'min-items'; readonly id: number; readonly count: number }
  /** At least `count` elements are as `each` says. */
  | { readonly op: 'contains'; readonly id: number; readonly each: Formula; readonly count: number }
  | { readonly op: 'unique'; readonly id: number };

export type ObjectAtom =
  | { readonly op: 'has'; readonly id: number; readonly name: string }
  /** The member `name`, if there is one, is as `each` says. */
  | { readonly op: 'member'; readonly id: number; readonly name: string; readonly each: Formula }
  /** Every member whose name is as `key` says has a value as `each` says. */
  | { readonly op: 'members'; readonly id: number; readonly key: Formula; readonly each: Formula }
  /** Every member name is as `key` says. */
  | { readonly op: 'names'; readonly id: number; readonly key: Formula }
  | { readonly op: 'min-members'; readonly id: number; readonly count: number };
