import { ATTEMPT_RESULTS } from '@waybill/contracts';
import type { Next } from '@waybill/store';
import { describe, expect, test } from 'vitest';
import type { AttemptOutcome } from '../attempt/outcome.ts';
import { classify } from './classify.ts';

const policy = { maxAttempts: 3, baseMs: 1_000, factor: 2, capMs: 60_000 };
const context = (attempt: number) => ({ position: '7', attempt, policy, random: () => 0.5 });

const undelivered: readonly (readonly [name: string, outcome: AttemptOutcome, attempt: number, next: Next])[] = [
  [
    'a retry is delayed by the backoff',
    { outcome: 'retry', class: 'http-503' },
    1,
    { then: 'retry', delayMs: 500, error: 'retry (http-503)' },
  ],
  [
    'a later retry waits longer',
    { outcome: 'retry', class: 'http-503' },
    2,
    { then: 'retry', delayMs: 1_000, error: 'retry (http-503)' },
  ],
  [
    'the target may ask for more',
    { outcome: 'retry', class: 'http-429', afterMs: 9_000, detail: 'slow down' },
    1,
    { then: 'retry', delayMs: 9_000, error: 'retry (http-429): slow down' },
  ],
  [
    'an unknown result is a retry',
    { outcome: 'unknown', class: 'timeout' },
    1,
    { then: 'retry', delayMs: 500, error: 'unknown (timeout)' },
  ],
  [
    'W20: the last attempt is the last',
    { outcome: 'retry', class: 'http-503' },
    3,
    { then: 'dead-letter', position: '7', reason: 'attempts-exhausted', error: 'retry (http-503)' },
  ],
  [
    'W20: also when its result is unknown',
    { outcome: 'unknown', class: 'timeout' },
    3,
    { then: 'dead-letter', position: '7', reason: 'attempts-exhausted', error: 'unknown (timeout)' },
  ],
  [
    'W20: beyond the limit too, after the limit was lowered',
    { outcome: 'retry', class: 'x' },
    9,
    { then: 'dead-letter', position: '7', reason: 'attempts-exhausted', error: 'retry (x)' },
  ],
  [
    'W20: a refusal stops at once',
    { outcome: 'refused', class: 'http-410', detail: 'gone' },
    1,
    { then: 'dead-letter', position: '7', reason: 'refused', error: 'refused (http-410): gone' },
  ],
  ['a lost lease is no attempt', { outcome: 'lease-lost' }, 3, { then: 'release' }],
  [
    'I10: a store outage is no attempt',
    { outcome: 'store-unavailable', detail: 'x' },
    3,
    { then: 'release', delayMs: 1_000 },
  ],
  [
    'O02: an unreadable record is no attempt',
    { outcome: 'unreadable-here', class: 'invalid', detail: 'x', byNobody: false },
    3,
    { then: 'release', delayMs: 30_000 },
  ],
  [
    'O02: what no live build can read is dead',
    { outcome: 'unreadable-here', class: 'invalid', detail: 'x', byNobody: true },
    1,
    { then: 'dead-letter', position: '7', reason: 'unreadable', error: 'unreadable-here (invalid): x' },
  ],
];

describe('W20: classification', () => {
  test.each(undelivered)('%s', (_name, outcome, attempt, next) => {
    expect(classify(outcome, context(attempt))).toEqual({ delivered: false, next });
  });

  test('accepted is delivered, whatever the attempt', () => {
    expect(classify({ outcome: 'accepted', receipt: null, duplicate: true }, context(99))).toEqual({ delivered: true });
  });

  test('every outcome of the closed set has a case above', () => {
    expect(new Set(['accepted', ...undelivered.map(([, outcome]) => outcome.outcome)])).toEqual(
      new Set(ATTEMPT_RESULTS),
    );
  });

  test('F015: evidence can be stored, whatever a target said', () => {
    const decision = classify({ outcome: 'refused', class: 'c', detail: 'a\u0000b\ud800' }, context(1));
    expect(decision).toEqual({
      delivered: false,
      next: { then: 'dead-letter', position: '7', reason: 'refused', error: 'refused (c): a\uFFFDb\uFFFD' },
    });
  });
});
