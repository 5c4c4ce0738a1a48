import { describe, expect, test } from 'vitest';
import { HeadBudget } from './head-budget.ts';

const LEAST = 16;
const runs = (count: number, length: number, recordKey: string): { recordKey: string; records: never[] }[] =>
  Array.from({ length: count }, () => ({ recordKey, records: Array.from<never>({ length }) }));

/** What a store with endless keys, each with a backlog of `length`, gives to a number of claims. */
function claims(count: number, length: number, recordKey = 'k'): number[] {
  const budget = new HeadBudget();
  return Array.from({ length: count }, () => {
    const heads = budget.heads(500, LEAST);
    budget.learn(runs(heads, Math.min(length, Math.floor(500 / heads)), recordKey), heads);
    return heads;
  });
}

describe('P03: how many keys a claim takes', () => {
  test('records without keys are claimed as many as may be', () => {
    expect(claims(4, 1, '')).toEqual([500, 500, 500, 500]);
  });

  test('keys with a backlog are taken with it, a few at a time', () => {
    expect(claims(6, 50)).toEqual([500, 250, 125, 63, 32, 32]);
  });

  test('keys with no more than one record are not asked to bring more', () => {
    expect(claims(6, 1)).toEqual([500, 250, 500, 250, 500, 250]);
  });

  test('every worker has a key', () => {
    const budget = new HeadBudget();
    for (let claim = 0; claim < 8; claim += 1) budget.learn(runs(2, 50, 'k'), 2);
    expect([budget.heads(100, LEAST), budget.heads(8, LEAST)]).toEqual([16, 8]);
  });

  test('when nothing more is ready, the next claim takes all there is', () => {
    const budget = new HeadBudget();
    budget.learn(runs(500, 1, 'k'), 500);
    budget.learn(runs(3, 2, 'k'), 250);
    expect(budget.heads(500, LEAST)).toBe(500);
  });
});
