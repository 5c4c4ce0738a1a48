import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** How a server is started. */
export interface ServerProcessOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** The whole environment of the server. */
  readonly env?: NodeJS.ProcessEnv;
  /** The port of 127.0.0.1 at which it has to listen before it counts as started. */
  readonly port: number;
  /** For a machine that does much else. Default 120,000. */
  readonly startTimeoutMs?: number;
  /** How it is told to go. `SIGKILL` is for servers that take long to go in good order. Default `SIGTERM`. */
  readonly stopSignal?: 'SIGTERM' | 'SIGKILL';
}

/** A server that belongs to a test. */
export interface ServerProcess {
  /** Ends it, by force if it does not go within ten seconds. */
  stop(): Promise<void>;
}

const STOP_TIMEOUT_MS = 10_000;

/**
 * The shell becomes the program. Before that it leaves a watcher behind that reads a pipe whose other end only we hold: when that
 * ends, we are gone, however we died, and the whole group is killed, since some servers are scripts that start the real one.
 */
const WITH_WATCHER = `
(read -r ended <&3; [ "$ended" = ended ] || kill -KILL -$$) >/dev/null 2>&1 &
exec "$@" 3<&-
`;

/** Starts a server and waits until it listens. It ends with this process at the latest. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { program, args, env, port, startTimeoutMs = 120_000, stopSignal = 'SIGTERM' } = options;
  const child = spawn('/bin/sh', ['-c', WITH_WATCHER, 'server-watcher', program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true, // a group of its own
    ...(env ? { env } : {}),
  });
  const lifeline = child.stdio[3];
  // A watcher that is killed with its group leaves our last word unread, which comes back as a reset. Nobody needs to know.
  lifeline?.on('error', () => {});
  const exited = once(child, 'exit').then(() => {
    if (lifeline && 'end' in lifeline) lifeline.end('ended\n');
  });
  const output = collect(child);
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const signalGroup = (signal: NodeJS.Signals): void => {
    if (child.pid !== undefined && !hasEnded()) process.kill(-child.pid, signal);
  };

  const giveUpAt = performance.now() + startTimeoutMs;
  // Whoever listens is not ours if ours has ended.
  while (!(await listens(port)) || hasEnded()) {
    if (hasEnded() || performance.now() > giveUpAt) {
      signalGroup('SIGKILL');
      throw new Error(`${program} did not start:\n${output()}`);
    }
    await delay(20);
  }

  return {
    async stop() {
      signalGroup(stopSignal);
      const force = setTimeout(() => signalGroup('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(force);
    },
  };
}

function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-4_000);
    });
  }
  return () => text;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
