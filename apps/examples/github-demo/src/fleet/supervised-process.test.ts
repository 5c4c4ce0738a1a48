import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../story/until.ts';
import { superviseProcess } from './supervised-process.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waybill-supervised-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

const signal = new AbortController().signal;
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('D06: gives the exit code of the program, and what it wrote', async () => {
  const file = join(directory, 'out.log');
  const log = await open(file, 'a');
  const child = superviseProcess(
    [process.execPath, '-e', 'console.log("here"); process.exitCode = 3'],
    process.env,
    log.fd,
  );
  await log.close();
  expect(await child.ended).toBe(3);
  expect(await readFile(file, 'utf8')).toBe('here\n');
});

test('D06: a signal reaches the program itself', async () => {
  const log = await open(join(directory, 'out.log'), 'a');
  const child = superviseProcess([process.execPath, '-e', 'setInterval(() => {}, 1000)'], process.env, log.fd);
  await log.close();
  child.kill('SIGKILL');
  expect(await child.ended).toBe('SIGKILL');
});

test('D06: the program does not outlive us, even when we are killed', async () => {
  const file = join(directory, 'pid');
  const module = new URL('./supervised-process.ts', import.meta.url).href;
  // Stands for us: starts a program that writes its pid down, and then waits to be killed.
  const parentSource = `
    import { openSync } from 'node:fs';
    const { superviseProcess } = await import(process.argv[1]);
    const program = 'require("node:fs").writeFileSync(process.argv[1], String(process.pid)); setInterval(() => {}, 1000)';
    superviseProcess([process.execPath, '-e', program, process.argv[2]], process.env, openSync('/dev/null', 'a'));
    setInterval(() => {}, 1000);`;
  const built = module.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
  const parent = spawn(process.execPath, ['--input-type=module', '-e', parentSource, built, file], { stdio: 'ignore' });
  const pidOf = async (): Promise<number> => Number(await readFile(file, 'utf8').catch(() => ''));
  await until('the program runs', async () => (await pidOf()) > 0, signal);
  const pid = await pidOf();

  const ended = once(parent, 'exit');
  parent.kill('SIGKILL');
  await ended;
  await until('the program is gone', async () => !isAlive(pid), signal);
});
