/** Arithmetic on version numbers in types, so that `upcast: { 2: ... }` knows that 1 comes before 2. */

/** A key of a versions object as a number; a contextual key arrives as the string '2'. */
export type NumberOf<V> = V extends number ? V : V extends `${infer N extends number}` ? N : never;

/** A tuple of length N; recursion is tail-recursive, so versions up to 999 work. */
type TupleOf<N extends number, T extends readonly unknown[] = []> = [N] extends [never]
  ? []
  : T['length'] extends N
    ? T
    : TupleOf<N, [...T, unknown]>;

/** The version before V; never for version 1. */
export type PreviousVersion<V> =
  TupleOf<NumberOf<V>> extends [unknown, ...infer Rest] ? (Rest['length'] extends 0 ? never : Rest['length']) : never;

/** The key V where the versions object also has the version before it, else never. */
export type HavingPrevious<S, V> = [PreviousVersion<V>] extends [never]
  ? never
  : PreviousVersion<V> extends keyof S
    ? V
    : never;

/** The version numbers of a versions object. */
export type VersionOf<S> = NumberOf<keyof S>;

type Preceding<S> = { [V in keyof S]: PreviousVersion<V> }[keyof S];

/** The newest version: the one that comes before no other. A versions object with unknown keys has an unknown newest. */
export type NewestVersion<S> = number extends keyof S ? number : Exclude<VersionOf<S>, Preceding<S>>;
