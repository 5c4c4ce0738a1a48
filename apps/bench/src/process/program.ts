import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
export const TASK_PROGRAM: string = join(dist, 'main-task.js');
export const WAYBILL_CONFIG: string = join(dist, 'main-waybill.config.js');

const require = createRequire(import.meta.url);

/** The built program `waybill`: its package exports the library, beside which it lies. */
export function waybillProgram(): string {
  return join(dirname(require.resolve('@waybill/dispatcher')), '..', 'dist', 'main.js');
}

/** The Node that every contender runs on: graphile-worker and pg-boss need 22, so where ours is older, the one of an npm package. */
export function contenderNode(own: {
  readonly execPath: string;
  readonly version: string;
  readonly platform: string;
  readonly arch: string;
}): string {
  if (Number(own.version.slice(1).split('.')[0]) >= NODE_MAJOR) return own.execPath;
  const binary = join(dirname(require.resolve(`node-${own.platform}-${own.arch}/package.json`)), 'bin', 'node');
  if (!existsSync(binary))
    throw new Error(
      `the benchmark needs Node ${NODE_MAJOR} or newer, or the npm package node-${own.platform}-${own.arch}`,
    );
  return binary;
}

const NODE_MAJOR = 24;

/** Starts a program with a channel to us that carries typed arrays, on the contenders' Node. It ends when we do: the channel closes. */
export function start(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  return fork(program, args, {
    execPath: contenderNode(process),
    execArgv: [],
    serialization: 'advanced',
    env: { PATH: dirname(process.execPath), NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

export function nodeVersion(execPath: string): string {
  return execFileSync(execPath, ['--version'], { encoding: 'utf8' }).trim().slice(1);
}
