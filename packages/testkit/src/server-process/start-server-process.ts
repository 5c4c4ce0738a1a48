import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** How a server is started. */
export interface ServerProcessOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** The whole environment of the server. */
  readonly env?: NodeJS.ProcessEnv;
  /** The port of 127.0.0.1 at which it has to listen before it counts as started. */
  readonly port: number;
  /** Default 30,000. */
  readonly startTimeoutMs?: number;
}

/** A server that belongs to a test. */
export interface ServerProcess {
  /** Ends it, by force if it does not go within ten seconds. */
  stop(): Promise<void>;
}

const STOP_TIMEOUT_MS = 10_000;

/** Starts a server and waits until it listens. It ends with this process at the latest. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { program, args, env, port, startTimeoutMs = 30_000 } = options;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(env ? { env } : {}) });
  const killOnExit = (): boolean => child.kill('SIGKILL');
  process.once('exit', killOnExit);
  const exited = once(child, 'exit').then(() => {
    process.off('exit', killOnExit);
  });
  const output = collect(child);

  const giveUpAt = performance.now() + startTimeoutMs;
  while (!(await listens(port))) {
    if (child.exitCode !== null || performance.now() > giveUpAt) {
      child.kill('SIGKILL');
      throw new Error(`${program} did not start:\n${output()}`);
    }
    await delay(20);
  }

  return {
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(force);
    },
  };
}

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('a listening TCP server has a port');
  return address.port;
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
