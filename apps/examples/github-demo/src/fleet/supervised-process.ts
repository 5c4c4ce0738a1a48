import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';

/**
 * The shell becomes the program (`exec`), so that our child is the program itself. Before that it leaves a watcher behind that reads
 * a pipe whose other end only we hold: a line means that the program has ended, the end of the pipe means that we are gone, however
 * we died, and then the program has to go too.
 */
const SUPERVISOR = `
( ( read -r ended <&3 && exit 0; kill -KILL $$ 2>/dev/null ) >/dev/null 2>&1 & )
exec "$@" 3<&-
`;

/** A program that does not outlive us. */
export interface SupervisedProcess {
  /** Resolves with the exit code, or with the signal that ended the program. */
  readonly ended: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts a program with its output in the file `log`, a descriptor. */
export function superviseProcess(
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
  log: number,
): SupervisedProcess {
  const child = spawn('/bin/sh', ['-c', SUPERVISOR, 'supervisor', ...command], {
    env: environment,
    // A session of its own: Ctrl-C in a terminal is for us, and we end what we have started.
    detached: true,
    stdio: ['ignore', log, log, 'pipe'],
  });
  // A watcher that went with the process leaves our last word unread; that the process has ended is known from itself.
  child.stdio[3]?.on('error', () => undefined);
  return { ended: endOf(child), kill: (signal) => child.kill(signal) };
}

async function endOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  const pipe = child.stdio[3];
  if (pipe instanceof Writable) pipe.end('ended\n');
  return signal ?? code ?? 0;
}
