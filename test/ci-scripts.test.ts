import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { sourceFiles } from './tidy/files.ts';
import { rootManifest } from './tidy/workspace.ts';

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
  function count(name: string, report?: unknown, ...others: readonly string[]): string {
    const file = join(directory, name);
    if (report !== undefined) writeFileSync(file, JSON.stringify(report));
    return spawnSync(process.execPath, [join(import.meta.dirname, 'count-tests.mjs'), file, ...others], {
      encoding: 'utf8',
    }).stdout;
  }

  test('tells what failed and how, and counts at last; a file that could not be loaded is a failure', () => {
    const failure = { status: 'failed', fullName: 'a queue > keeps its order', failureMessages: ['1 is not 2'] };
    const tests = [{ status: 'passed' }, { status: 'passed' }, failure, { status: 'pending' }];
    const unloaded = { name: 'b.test.ts', message: 'no such module', assertionResults: [] };
    const report = { testResults: [{ name: 'a.test.ts', assertionResults: tests }, unloaded] };
    expect(count('report.json', report).split('\n')).toEqual([
      'FAILED a.test.ts > a queue > keeps its order',
      '1 is not 2',
      'FAILED b.test.ts > the file could not be loaded',
      'no such module',
      '2 passed, 2 failed',
      '',
    ]);
  });

  test('a run without a report is no success', () => {
    expect(count('nowhere.json')).toMatch(/there is no report\n0 passed, 1 failed\n$/);
    const one = { testResults: [{ name: 'a.test.ts', assertionResults: [{ status: 'passed' }] }] };
    expect(count('one.json', one, join(directory, 'one.json'))).toBe('2 passed, 0 failed\n');
    expect(count('one.json', one, join(directory, 'nowhere.json'))).toMatch(/1 passed, 1 failed\n$/);
  });
});

describe('.ci/run', () => {
  const script = readFileSync(join(import.meta.dirname, '..', '.ci', 'run'), 'utf8');

  test('T01: CI has every program that a test would otherwise be skipped for, and knows that it is CI', () => {
    const needed = sourceFiles
      .filter(({ path }) => path.endsWith('.test.ts'))
      .flatMap(({ text }) => [...text.matchAll(/withProgram\(\{ test \}, '([^']+)', process\.env/g)])
      .map(([, program]) => program);
    const installed = /programs=\((.*)\)/.exec(script)?.[1]?.split(' ');
    expect(needed.length).toBeGreaterThan(3);
    expect(installed).toEqual(expect.arrayContaining(needed));
    expect(script).toMatch(/^export CI=true$/m);
  });

  test('S09: CI runs the store on PostgreSQL 14 to 17 too, and counts a version that it could not install as a failure', () => {
    expect(rootManifest.scripts?.['test:servers']).toContain('WAYBILL_POSTGRES=${WAYBILL_POSTGRES:-14,15,16,17} ');
    expect(script).toMatch(/^ {2}step versions versions$/m);
    expect(script).toMatch(/count-tests\.mjs "\$report" "\$versions_report"/);
  });
});
