import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Identity } from './identity.ts';

/**
 * The shell becomes the server (`exec`), so that our child is the server itself. Before that it leaves a watcher behind
 * that reads a pipe whose other end only we hold: a line means that we have stopped the server ourselves, the end of
 * the pipe means that we are gone, however we died, and then the watcher stops the server and removes its folder.
 * The watcher is no child of the server, which would take the watcher's end for the crash of a backend.
 */
const SUPERVISOR = `
directory=$1; shift
(
  (
    read -r stopped <&3 && exit 0
    kill -INT $$
    tries=0
    while kill -0 $$ 2>/dev/null && [ $tries -lt 100 ]; do tries=$((tries + 1)); sleep 0.1; done
    kill -KILL $$ 2>/dev/null
    cd / && rm -rf -- "$directory"
  ) >/dev/null 2>&1 &
)
exec "$@" 3<&-
`;

/** Fast shutdown first; immediate shutdown if a backend does not end; the last resort if that hangs too. */
const STOP_STEPS: readonly { readonly signal: NodeJS.Signals; readonly waitMs: number }[] = [
  { signal: 'SIGINT', waitMs: 10_000 },
  { signal: 'SIGQUIT', waitMs: 6_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

/** A running server process that does not outlive ours. */
export interface ServerProcess {
  readonly pid: number | undefined;
  /** Aborted once the process has ended, for whatever reason. */
  readonly ended: AbortSignal;
  /** Ends the process, in stages. Harmless when it has ended already. */
  stop(): Promise<void>;
}

/** The environment of every PostgreSQL program we run: nothing of ours, since PGOPTIONS and the like would leak in. */
export function serverEnvironment(home: string): Record<string, string> {
  return { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', HOME: home };
}

/** Runs `command` under the supervisor, in `directory`, with its output in `log`. */
export function spawnServer(
  command: readonly string[],
  identity: Identity,
  directory: string,
  log: FileHandle,
): ServerProcess {
  const child = spawn('/bin/sh', ['-c', SUPERVISOR, 'postgres-supervisor', directory, ...command], {
    ...identity,
    cwd: directory,
    env: serverEnvironment(directory),
    // A session of its own: Ctrl-C in a terminal is for us, and we stop the server when we are done with it.
    detached: true,
    stdio: ['ignore', log.fd, log.fd, 'pipe'],
  });
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  child.once('error', () => ended.abort());
  const lifeline = child.stdio[3];
  if (!(lifeline instanceof Socket)) throw new Error('spawn() made no pipe for the lifeline.');
  // Nobody reads it at the other end of a server that died; its end is known from the child.
  lifeline.on('error', () => undefined);
  // A forgotten server must not keep our process alive; it ends with it.
  child.unref();
  lifeline.unref();
  return { pid: child.pid, ended: ended.signal, stop: () => stop(child, lifeline, ended.signal) };
}

async function stop(child: ChildProcess, lifeline: Socket, ended: AbortSignal): Promise<void> {
  child.ref();
  for (const { signal, waitMs } of STOP_STEPS) {
    if (ended.aborted) break;
    child.kill(signal);
    await untilEnded(child, waitMs);
  }
  lifeline.end('stopped\n');
}

async function untilEnded(child: ChildProcess, waitMs: number): Promise<void> {
  const timeout = AbortSignal.timeout(waitMs);
  await once(child, 'exit', { signal: timeout }).catch((error: unknown) => {
    if (!timeout.aborted) throw error;
  });
}
