import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

const directory = mkdtempSync(join(tmpdir(), 'waybill-ci-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe('demo-result', () => {
  const good = {
    ...{ enqueued: 10, delivered: 10, rolledBack: 1, duplicates: 0, lost: 0, outOfOrder: 0 },
    ...{ unreadableClaims: 0, waitedForReader: 3, deadLetters: 0, ms: 1200 },
  };

  function judge(stdout: string): { readonly status: number | null; readonly stderr: string } {
    return spawnSync(process.execPath, [join(import.meta.dirname, 'demo-result.mjs')], {
      input: stdout,
      encoding: 'utf8',
    });
  }

  test('D06: takes the last line of the demo for its result', () => {
    expect(judge(`a story\n${JSON.stringify(good)}\n`)).toMatchObject({ status: 0, stderr: '' });
  });

  test.each([
    ['a lost message', JSON.stringify({ ...good, lost: 1 }), 'lost is not 0'],
    ['a missing key', JSON.stringify({ ...good, ms: undefined }), 'its keys are'],
    ['a key too many', JSON.stringify({ ...good, more: 1 }), 'its keys are'],
    ['an idle demo', JSON.stringify({ ...good, enqueued: 0 }), 'nothing was enqueued'],
    ['a line after the result', `${JSON.stringify(good)}\nbye`, 'not a JSON object'],
    ['no output', '', 'not a JSON object'],
  ])('D06: refuses %s', (_name, stdout, problem) => {
    expect(judge(stdout)).toMatchObject({ status: 1, stderr: expect.stringContaining(problem) });
  });
});

describe('count-tests', () => {
  function count(name: string, report?: unknown): string {
    const file = join(directory, name);
    if (report !== undefined) writeFileSync(file, JSON.stringify(report));
    return spawnSync(process.execPath, [join(import.meta.dirname, 'count-tests.mjs'), file], { encoding: 'utf8' })
      .stdout;
  }

  test('counts passed and failed tests, and a file that could not be loaded as a failure', () => {
    const tests = ['passed', 'passed', 'failed', 'pending'].map((status) => ({ status }));
    const report = { testResults: [{ assertionResults: tests }, { assertionResults: [] }] };
    expect(count('report.json', report)).toBe('2 passed, 2 failed\n');
  });

  test('a run without a report is no success', () => {
    expect(count('nowhere.json')).toBe('0 passed, 1 failed\n');
  });
});
