/** The members and elements that a schema has looked at, which `unevaluated...` leaves alone. */
export interface Covered {
  readonly names: ReadonlySet<string>;
  readonly items: ReadonlySet<number>;
}

/** Valid, with what was covered, or the path of the keyword that refused. */
export type Evaluation = { readonly covered: Covered } | { readonly failedAt: string };

export const COVERS_NOTHING: Covered = { names: new Set(), items: new Set() };

export const valid = (covered: Covered): Evaluation => ({ covered });
export const invalidAt = (failedAt: string): Evaluation => ({ failedAt });

export function isValid(evaluation: Evaluation): evaluation is { readonly covered: Covered } {
  return 'covered' in evaluation;
}

export function union(a: Covered, b: Covered): Covered {
  if (a === COVERS_NOTHING) return b;
  if (b === COVERS_NOTHING) return a;
  return { names: new Set([...a.names, ...b.names]), items: new Set([...a.items, ...b.items]) };
}
