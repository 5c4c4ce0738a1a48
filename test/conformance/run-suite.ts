import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from './report.ts';

export async function readReport(file: string): Promise<Report> {
  return JSON.parse(await readFile(file, 'utf8')) as Report;
}

/** Runs the tests of the checkout in `root`, all or those in `files`, and returns the report. Their output goes to standard error. */
export async function runSuite(root: string, files: readonly string[] = []): Promise<Report> {
  const directory = await mkdtemp(join(tmpdir(), 'waybill-report-'));
  try {
    const file = join(directory, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    // Standard output is ours; failing tests are in the report, so that the exit code tells nothing more.
    const stdio = ['ignore', 2, 2] as const;
    await once(
      spawn(process.execPath, [vitest, 'run', ...reporters, ...files], { cwd: root, stdio: [...stdio] }),
      'exit',
    );
    return await readReport(file);
  } finally {
    await rm(directory, { recursive: true });
  }
}
