import { expect, test } from 'vitest';
import { findText, type TextDemand } from './find-text.ts';

const demand = (
  matching: readonly string[],
  notMatching: readonly string[] = [],
  more: Partial<TextDemand> = {},
): TextDemand => ({
  matching,
  notMatching,
  excluded: [],
  minLength: 0,
  maxLength: Infinity,
  ...more,
});

test.each<[string, TextDemand]>([
  ['same digits', demand(['^[0-9]+$'], ['^\\d+$'])],
  ['narrower class', demand(['^[a-c]{2}$'], ['^[a-z]{1,3}$'])],
  ['no effect', demand([], [''])],
  ['a counted repeat', demand(['^a{2,4}$'], ['^a{1,5}$'])],
  ['too short', demand(['^abc$'], [], { maxLength: 2 })],
  ['the only text is excluded', demand(['^(a|b)$'], [], { excluded: ['a', 'b'] })],
  ['anchors in a row', demand(['^(^a$|^b$)$'], ['^[ab]$'])],
  ['a lookahead', demand(['^(?!a)[ab]$'], ['^b$'])],
  ['lookaheads in a row', demand(['^(?=.*a)(?=.*b)[ab]{2}$'], ['^(ab|ba)$'])],
  ['a Unicode property', demand(['^\\p{Lu}$'], ['^\\p{L}$'])],
])('V08: emptiness is proved: %s', (_what, question) => {
  expect(findText(question)).toBe('none');
});

test.each<[string, TextDemand]>([
  ['wider class', demand(['^[ab]$'], ['^a$'])],
  ['unanchored', demand(['x'], ['^x$'])],
  ['a line end is no dot', demand([], ['^.*$'])],
  ['alternatives with anchors', demand(['(^|,)x(,|$)'], ['^x'])],
  ['a minimum length', demand(['^a*$'], [], { minLength: 5 })],
  ['an escape', demand(['^\\u0041\\x42\\.\\/$'])],
  ['anchors in a row', demand(['^(^a$|^b$)$'], ['^^a$$'])],
  ['a lookahead', demand(['^(?!a)[ab]+$'], ['^b+$'])],
  ['a Unicode property', demand(['^\\p{L}$'], ['^\\p{Lu}$', '^[a-z]$'])],
  ['a long text', demand(['^[a-z]*$'], [], { minLength: 5_000 })],
])('V08: a text is found: %s', (_what, question) => {
  const answer = findText(question);
  if (typeof answer === 'string') throw new Error(answer);
  expect(question.matching.every((pattern) => new RegExp(pattern, 'u').test(answer.found))).toBe(true);
  expect(question.notMatching.some((pattern) => new RegExp(pattern, 'u').test(answer.found))).toBe(false);
  expect(Array.from(answer.found).length).toBeGreaterThanOrEqual(question.minLength);
});

test.each(['(?=a)b', '^(a(?=b))*$', '^(?=^a)', '(?<=a)b', '(a)\\1', '\\bword\\b'])(
  'V08: a pattern that is not modelled gives no proof: %s',
  (pattern) => {
    expect(findText(demand([pattern], ['^z$']))).toBe('unknown');
  },
);
