import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Identity } from './identity.ts';

/**
 * The shell becomes the program (`exec`), so that our child is the program itself. Before that it leaves a watcher
 * behind that reads a pipe whose other end only we hold: a line means that we have seen the program end, the end of the
 * pipe means that we are gone, however we died, and then the watcher stops the program and removes its folder.
 * The watcher is no child of the program: a server would take the watcher's end for the crash of a backend.
 */
const SUPERVISOR = `
directory=$1; shift
(
  (
    read -r ended <&3 && exit 0
    kill -INT $$
    tries=0
    while kill -0 $$ 2>/dev/null && [ $tries -lt 100 ]; do tries=$((tries + 1)); sleep 0.1; done
    kill -KILL $$ 2>/dev/null
    cd / && rm -rf -- "$directory"
  ) >/dev/null 2>&1 &
)
exec "$@" 3<&-
`;

/** For a server: fast shutdown, then immediate shutdown if a backend does not end, then the last resort. */
const STOP_STEPS: readonly { readonly signal: NodeJS.Signals; readonly waitMs: number }[] = [
  { signal: 'SIGINT', waitMs: 10_000 },
  { signal: 'SIGQUIT', waitMs: 6_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

/** A program of the PostgreSQL installation that does not outlive us. */
export interface SupervisedProcess {
  readonly pid: number | undefined;
  /** Aborted once the program has ended, for whatever reason. */
  readonly ended: AbortSignal;
  /** How the program ended: its exit code, the signal, or that it could not be started; null while it runs. */
  ending(): number | string | null;
  /** Waits for the end of the program, `waitMs` at most. */
  untilEnded(waitMs: number): Promise<void>;
  /** Ends the program, in stages. Harmless when it has ended already. */
  stop(): Promise<void>;
}

export interface Surroundings {
  /** Whom the program runs as. */
  readonly identity: Identity;
  /** Where it runs; removed with all in it if we die before `stop`. */
  readonly directory: string;
  /** The file that gets its output. */
  readonly log: string;
}

export async function spawnSupervised(
  command: readonly string[],
  { identity, directory, log }: Surroundings,
): Promise<SupervisedProcess> {
  // A file, since a pipe that we are too busy to empty would stop the server.
  const output = await open(log, 'a');
  const child = spawn('/bin/sh', ['-c', SUPERVISOR, 'postgres-supervisor', directory, ...command], {
    ...identity,
    cwd: directory,
    // Nothing of our own environment, since PGOPTIONS, LANG and the like would leak in.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', HOME: directory },
    // A session of its own: Ctrl-C in a terminal is for us, and we stop the server when we are done with it.
    detached: true,
    stdio: ['ignore', output.fd, output.fd, 'pipe'],
  });
  const supervised = supervise(child);
  await output.close();
  return supervised;
}

function supervise(child: ChildProcess): SupervisedProcess {
  const ended = new AbortController();
  let ending: number | string | null = null;
  const lifeline = child.stdio[3];
  if (!(lifeline instanceof Socket)) throw new Error('spawn() made no pipe for the lifeline.');
  // Nobody reads it when the program never started; that it ended is known from the child.
  lifeline.on('error', () => undefined);
  child.once('exit', (code, signal) => {
    ending = code ?? signal;
    // At once, else the watcher would some day stop whoever has the program's pid by then.
    lifeline.end('ended\n');
    ended.abort();
  });
  child.once('error', (error) => {
    ending = error.message;
    ended.abort();
  });
  // A forgotten server must not keep our process alive; it ends with it.
  child.unref();
  lifeline.unref();

  const untilEnded = async (waitMs: number): Promise<void> => {
    if (ended.signal.aborted) return;
    child.ref();
    await Promise.race([once(ended.signal, 'abort'), timedOut(waitMs)]);
    child.unref();
  };
  const stop = async (): Promise<void> => {
    for (const { signal, waitMs } of STOP_STEPS) {
      if (ended.signal.aborted) break;
      child.kill(signal);
      await untilEnded(waitMs);
    }
  };
  return { pid: child.pid, ended: ended.signal, ending: () => ending, untilEnded, stop };
}

/** Resolves after `waitMs`, without keeping the process alive for it. */
function timedOut(waitMs: number): Promise<unknown> {
  return once(AbortSignal.timeout(waitMs), 'abort');
}
