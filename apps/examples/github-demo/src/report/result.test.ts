import { describe, expect, test } from 'vitest';
import { type Findings, problemsOf, resultOf } from './result.ts';

const good: Findings = {
  reconciliation: { enqueued: 10, delivered: 10, duplicates: 2, lost: [], outOfOrder: [], phantoms: [] },
  rolledBack: 1,
  deadLetters: 0,
  claims: { total: 12, unreadable: 0 },
  waitedForReader: 3,
  forged: 0,
  hiccups: 1,
  recordKeys: 4,
  ms: 1234.5,
};

describe('D06: the result of the demo', () => {
  test('has exactly the members that others rely on', () => {
    expect(resultOf(good)).toEqual({
      enqueued: 10,
      delivered: 10,
      rolledBack: 1,
      duplicates: 2,
      lost: 0,
      outOfOrder: 0,
      unreadableClaims: 0,
      waitedForReader: 3,
      deadLetters: 0,
      ms: 1235,
    });
  });

  test('duplicates are no problem, since delivery is at least once', () => {
    expect(problemsOf(good)).toEqual([]);
  });

  test.each([
    ['a lost message', { reconciliation: { ...good.reconciliation, lost: ['a'] } }],
    ['a message out of order', { reconciliation: { ...good.reconciliation, outOfOrder: ['a'] } }],
    ['a message of a rolled-back transaction', { reconciliation: { ...good.reconciliation, phantoms: ['a'] } }],
    ['a claim of an unreadable record', { claims: { total: 12, unreadable: 1 } }],
    ['a story in which nothing waited for a reader', { waitedForReader: 0 }],
    ['a forged request', { forged: 1 }],
  ])('%s is one', (_what, change) => {
    expect(problemsOf({ ...good, ...change })).toHaveLength(1);
  });
});
