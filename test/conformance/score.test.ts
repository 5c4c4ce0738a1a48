import { describe, expect, test } from 'vitest';
import { evidenceOf } from './evidence.ts';
import { type Report, type TestResult, tally } from './report.ts';
import { score } from './score.ts';

const IDS = { W01: 'first', W02: 'second', W03: 'third' };

function result(
  title: string,
  status: 'passed' | 'failed' | 'pending' = 'passed',
  ...ancestorTitles: string[]
): TestResult {
  return { title, status, ancestorTitles };
}

function report(...assertionResults: readonly TestResult[]): Report {
  return { success: true, testResults: [{ name: 'x.test.ts', assertionResults }] };
}

describe('the tally', () => {
  test('counts the passing tests of an id, those of its groups included, each test once', () => {
    const counts = tally(
      report(result('W01: a'), result('b', 'passed', 'W01 W02: group'), result('W01: c', 'passed', 'W01: group')),
    );
    expect(Object.fromEntries(counts.passing)).toEqual({ W01: 3, W02: 1 });
    expect(counts).toMatchObject({ passed: 3, failed: 0, unknown: [] });
  });

  test('a skipped test proves nothing, a failed one speaks against its id', () => {
    const counts = tally(report(result('W01: a', 'pending'), result('W02: b', 'failed')));
    expect(counts.passing.size).toBe(0);
    expect(Object.fromEntries(counts.failing)).toEqual({ W02: 1 });
  });

  test('a file that could not be loaded is a failure', () => {
    expect(
      tally({ success: false, testResults: [{ name: 'x', message: 'syntax', assertionResults: [] }] }).failed,
    ).toBe(1);
  });

  test('a mistyped id is told from the id of a fault', () => {
    expect(tally(report(result('W99: a'), result('F089: b'))).unknown).toEqual(['W99']);
  });
});

describe('the score', () => {
  test('an id that was reached and has no passing test, or a failing one, does not conform', () => {
    const counts = tally(report(result('W01: a'), result('W02: b'), result('W02: c', 'failed')));
    expect(score(IDS, ['W01', 'W02', 'W03'], counts).problems).toEqual([
      'W02 was reached and has no passing test now, or a failing one',
      'W03 was reached and has no passing test now, or a failing one',
      '1 tests failed',
    ]);
  });

  test('a conforming run has no problem, shows every id and offers what is new', () => {
    const { problems, newlyReached, table } = score(IDS, ['W01'], tally(report(result('W01: a'), result('W03: b'))));
    expect(problems).toEqual([]);
    expect(newlyReached).toEqual(['W03']);
    expect(table.split('\n')).toEqual([
      'W01     1  first',
      'W02     0  second',
      'W03     1  third',
      '2 of 3 ids have a passing test',
    ]);
  });
});

test('the evidence of a build names every id, and counts nothing for one with a failing test', () => {
  const counts = tally(report(result('W01: a'), result('W02: b'), result('W02: c', 'failed')));
  expect(evidenceOf(IDS, counts, 'waybill@1', new Date(0))).toEqual({
    schema: 'waybill.evidence/v1',
    build: 'waybill@1',
    date: '1970-01-01T00:00:00.000Z',
    passed: 2,
    failed: 1,
    ids: { W01: 1, W02: 0, W03: 0 },
  });
});
