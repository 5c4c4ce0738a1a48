import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ids, reached } from './ids.ts';
import type { Report } from './report.ts';

const root = join(import.meta.dirname, '..', '..');
const directory = mkdtempSync(join(tmpdir(), 'waybill-conformance-'));
afterAll(() => rmSync(directory, { recursive: true }));

function run(...args: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const command = ['--import', 'jiti/register', 'test/conformance/main.ts', ...args];
  return spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' });
}

function reportOf(titles: readonly string[]): string {
  const assertionResults = titles.map((title) => ({ title, status: 'passed', ancestorTitles: [] }));
  const report: Report = { success: true, testResults: [{ name: 'x.test.ts', assertionResults }] };
  const file = join(directory, `report-${titles.length}.json`);
  writeFileSync(file, JSON.stringify(report));
  return file;
}

test('a report in which every reached id passes conforms, and its evidence is written', () => {
  const evidence = join(directory, 'evidence.json');
  const all = Object.keys(ids).map((id) => `${id}: proved`);
  const { status, stdout, stderr } = run('--report', reportOf(all), '--evidence', evidence, '--build', 'b@1');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain(`${all.length} of ${all.length} ids have a passing test`);
  expect(JSON.parse(readFileSync(evidence, 'utf8'))).toMatchObject({ build: 'b@1', ids: { W01: 1, I10: 1 } });
});

test('a report without the tests of a reached id exits 1 and names the id', () => {
  const { status, stdout } = run('--report', reportOf(['W99: nobody knows it']));
  expect(status).toBe(1);
  for (const id of reached) expect(stdout).toContain(`NOT CONFORMING: ${id} `);
  expect(stdout).toContain('NOT CONFORMING: W99 ');
});

test('an unknown option is a matter of usage', () => {
  expect(run('--nonsense')).toMatchObject({ status: 2, stderr: expect.stringContaining('usage:') });
});
