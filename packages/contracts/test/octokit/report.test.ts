import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const fromRoot = (file: string) => readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8');

/** What the report says, as far as it is held to something. */
interface Report {
  readonly totals: Readonly<Record<string, number>>;
  readonly verdicts: Readonly<Record<string, number>>;
  readonly steps: readonly object[];
}
// The tests below would fail on any other shape.
const { totals, verdicts, steps } = JSON.parse(fromRoot('test/octokit/report.json')) as Report;

test('V08: no pair of real schemas is called compatible that a real payload refutes, and none is left undecided', () => {
  expect(totals).toMatchObject({ releases: 18, answersRefutedByPayloads: 0, unknownAnswers: 0 });
  expect(steps).toHaveLength(17);
});

test('V08: payloads do refuse some of those pairs, so that none refuted says something', () => {
  expect(totals['refusalsOfPayloads']).toBeGreaterThan(100);
  expect(totals['payloadsTried']).toBeGreaterThan(10_000);
});

test('V08: each changed pair has a verdict, and each of its four questions an answer', () => {
  const compared = totals['compared'] ?? 0;
  expect(Object.values(verdicts).reduce((sum, count) => sum + count, 0)).toBe(compared);
  expect([totals['answers'], totals['pairs']]).toEqual([4 * compared, compared + (totals['unchanged'] ?? 0)]);
});

test('the guide quotes the report', () => {
  const quoted = [totals['pairs'], totals['compared'], totals['realPayloads'], ...Object.values(verdicts)].map(
    (count) => (count ?? 0).toLocaleString('en-US'),
  );
  const guide = fromRoot('docs/contracts.md');
  expect(quoted.filter((figure) => !guide.includes(` ${figure} `))).toEqual([]);
});
