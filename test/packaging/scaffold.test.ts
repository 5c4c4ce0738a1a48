import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DiagnosticSeverity, Parser } from '@asyncapi/parser';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../tidy/files.ts';
import { pack } from './pack.ts';
import { typeProblems } from './type-problems.ts';

const run = promisify(execFile);

/** A dozen processes, one after the other, on a machine that may be busy. */
const timeoutMs = 300_000;
/** Outside of the workspace, so that nothing of it is found by accident. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-scaffold-'));
  await using packed = await pack(['@waybill/contracts']);
  const installed = join(folder, 'node_modules/@waybill/contracts');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', packed.tarball('@waybill/contracts'), '-C', installed, '--strip-components=1']);
  // What a registry would bring, at the versions of the workspace.
  for (const name of ['@sinclair/typebox', 'ajv', 'ajv-formats', 'commander'])
    await link(join(root, 'packages/contracts/node_modules', name), join('node_modules', name));
  await link(join(root, 'node_modules/typescript'), 'node_modules/typescript');
  await link(join(root, 'node_modules/typescript/bin/tsc'), 'node_modules/.bin/tsc');
}, timeoutMs);
afterAll(() => rm(folder, { recursive: true }));

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await symlink(target, join(folder, path));
}

async function output(command: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run(command, [...args], { cwd: folder });
  return stdout;
}

const contracts = (...args: readonly string[]) =>
  output('node', 'node_modules/@waybill/contracts/dist/cli/main.js', ...args);
const git = (...args: readonly string[]) =>
  output('git', '-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main', ...args);

test(
  'D05: V10: what init writes lints, freezes, checks, tests and packs cleanly with the packed packages alone',
  async () => {
    await contracts('init', '@acme/orders-contracts', '.');
    await output('npm', 'run', 'build');
    expect(await contracts('lint')).toContain('no problems');
    expect(await contracts('freeze')).toBe('new: messages/example.something-happened/1.json\n');
    expect(await contracts('gen', '--check')).toBe('');
    await git('init', '--quiet');
    await git('add', '.');
    await git('commit', '--quiet', '-m', 'Start the contracts');
    expect(await contracts('check')).toBe('against main: bump none\n');
    expect(await contracts('test')).toMatch(/^example\.something-happened@1: 0 golden and \d+ generated records\n$/);
    const { diagnostics } = await new Parser().parse(await contracts('docs', '--format', 'asyncapi'));
    const faults: readonly number[] = [DiagnosticSeverity.Error, DiagnosticSeverity.Warning];
    expect(diagnostics.filter(({ severity }) => faults.includes(severity))).toEqual([]);

    const committed = (await git('ls-files')).trim().split('\n');
    expect(committed.filter((file) => /^(node_modules|dist)\//.test(file))).toEqual([]);
    // Built above; the script of the package would build it again.
    await output('npm', 'pack', '--silent', '--ignore-scripts');
    const tarball = new Uint8Array(await readFile(join(folder, 'acme-orders-contracts-0.0.0.tgz')));
    expect((await publint({ pack: { tarball: tarball.buffer }, strict: true })).messages).toEqual([]);
    expect(await typeProblems(tarball)).toEqual([]);
  },
  timeoutMs,
);
