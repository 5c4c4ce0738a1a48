import type { Catalog } from '../statements/catalog.ts';

/** How one object of the schema differs from what this version expects. */
export type Drift =
  | { readonly kind: 'missing'; readonly object: string; readonly expected: string }
  | { readonly kind: 'unexpected'; readonly object: string; readonly found: string }
  | { readonly kind: 'different'; readonly object: string; readonly expected: string; readonly found: string };

/** Compares a schema with what it should be. Pure. */
export function compareCatalogs(expected: Catalog, found: Catalog): readonly Drift[] {
  const objects = [...new Set([...Object.keys(expected), ...Object.keys(found)])].sort();
  return objects.flatMap((object) => driftOf(object, expected[object], found[object]) ?? []);
}

function driftOf(object: string, expected: string | undefined, found: string | undefined): Drift | null {
  if (expected === found) return null;
  if (found === undefined) return { kind: 'missing', object, expected: expected ?? '' };
  if (expected === undefined) return { kind: 'unexpected', object, found };
  return { kind: 'different', object, expected, found };
}
