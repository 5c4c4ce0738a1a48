import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acceptsEmpty, derive } from './derive.ts';
import { END, Expressions, START } from './expression.ts';
import { parsePattern } from './parse-pattern.ts';

const atoms = ['a', 'b', '.', '[ab]', '[^a]', '[^]', '\\d', '\\w', '\\W', '\\S', '\\p{L}', '\\u0061', '\\u{1F600}'];
const quantifier = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}', '*?', '{2,}');

/** Patterns with every construct that is modelled, and anchors and lookaheads where nobody would write them. */
const pattern = fc.letrec<{ alternatives: string; sequence: string; term: string }>((tie) => ({
  alternatives: fc.oneof(
    { weight: 2, arbitrary: tie('sequence') },
    fc.tuple(tie('sequence'), tie('sequence')).map((branches) => branches.join('|')),
  ),
  sequence: fc.array(tie('term'), { maxLength: 3 }).map((terms) => terms.join('')),
  term: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...atoms), quantifier).map(([atom, times]) => atom + times) },
    { weight: 2, arbitrary: fc.constantFrom('^', '$') },
    { weight: 1, arbitrary: tie('sequence').map((inner) => `(?=${inner})`) },
    { weight: 1, arbitrary: tie('sequence').map((inner) => `(?!${inner})`) },
    { weight: 2, arbitrary: fc.tuple(tie('alternatives'), quantifier).map(([inner, times]) => `(${inner})${times}`) },
  ),
}));

/** Every text of up to three characters from a few that the patterns tell apart. */
const texts = [0, 1, 2].reduce<readonly string[]>(
  (shorter) => [...new Set(['', ...shorter.flatMap((text) => ['a', 'b', '1', '\n', '😀'].map((char) => text + char))])],
  [''],
);
const RUNS = Number(process.env['WAYBILL_ATTACK_RUNS'] ?? 150);

test('V08: the sets of texts agree with the engine on every short text', () => {
  let modelled = 0;
  fc.assert(
    fc.property(pattern.alternatives, (source) => {
      const engine = new RegExp(source, 'u');
      const make = new Expressions();
      const parsed = parsePattern(source, make);
      if (parsed === null) return;
      modelled += 1;
      const contains = (text: string): boolean => {
        const points = [START, ...Array.from(text, (char) => char.codePointAt(0) ?? 0), END];
        return acceptsEmpty(points.reduce((rest, point) => derive(rest, point, make), parsed));
      };
      expect(texts.find((text) => contains(text) !== engine.test(text))).toBeUndefined();
    }),
    { numRuns: RUNS, seed: 20_240_601 },
  );
  expect(modelled).toBeGreaterThan(RUNS / 3);
});
