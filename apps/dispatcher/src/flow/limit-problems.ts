import { nearest } from '../config/suggestion.ts';
import type { Route } from '../routes/route.ts';
import { destinationOf } from './destination.ts';

/** A claim takes 500 records at most, and nobody has more workers; a larger number is a typing error. */
const MAX_CONCURRENCY = 1_000;
/** Far beyond what one process can send; below it, arithmetic in milliseconds is exact. */
const MAX_PER_SECOND = 1_000_000;

/** Compares the limits with the destinations of the routes. Gives every problem at once; none when all is well. */
export function limitProblems(limits: Readonly<Record<string, object>>, routes: readonly Route[]): readonly string[] {
  const known = [...new Set(routes.map(destinationOf))];
  return Object.entries(limits).flatMap(([name, limit]) => [
    ...(known.includes(name) ? [] : [unknownDestination(name, known)]),
    ...Object.entries(limit).flatMap(([key, value]) => problemOf(`destinations.${name}.${key}`, key, value)),
  ]);
}

function unknownDestination(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return `destinations.${name}: no route leads there${meant === undefined ? `; expected one of ${known.join(', ')}` : `; did you mean ${meant}?`}`;
}

function problemOf(path: string, key: string, value: unknown): readonly string[] {
  const isNumber = typeof value === 'number' && Number.isFinite(value) && value > 0;
  if (key === 'concurrency') {
    const fits = isNumber && Number.isInteger(value) && value <= MAX_CONCURRENCY;
    return fits
      ? []
      : [`${path}: expected a whole number of records from 1 to ${MAX_CONCURRENCY}, got ${String(value)}`];
  }
  if (key === 'perSecond')
    return isNumber && value <= MAX_PER_SECOND
      ? []
      : [`${path}: expected records per second above 0 and up to ${MAX_PER_SECOND}, got ${String(value)}`];
  return [`${path}: no limit has this name; expected concurrency or perSecond`];
}
