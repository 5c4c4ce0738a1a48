import { describe, expect, test } from 'vitest';
import { editDistance, nearest } from './suggestion.ts';

describe('nearest', () => {
  test.each([
    ['leaseMs', 'leaseMs', 0],
    ['laeseMs', 'leaseMs', 1],
    ['leasMs', 'leaseMs', 1],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
  ])('the distance from %j to %j is %i', (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance);
  });

  test('D04: finds the name that was meant, and none when the word is another one', () => {
    expect(nearest('Workers', ['lease', 'workers'])).toBe('workers');
    expect(nearest('wrokers', ['lease', 'workers'])).toBe('workers');
    expect(nearest('metrics', ['lease', 'workers'])).toBeUndefined();
    expect(nearest('x', ['y'])).toBeUndefined();
    expect(nearest('lease', [])).toBeUndefined();
  });
});
