import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Binaries, binariesIn, executableBy, locateBinaries } from './binaries.ts';
import { makeDirectory, removeDirectory } from './directory.ts';
import { LocalPostgresError } from './error.ts';
import { freePort } from './free-port.ts';
import { type Identity, serverIdentity } from './identity.ts';
import { initdb } from './initdb.ts';
import { untilReady } from './readiness.ts';
import { type SupervisedProcess, spawnSupervised } from './supervised-process.ts';

/** A free port may be taken between our look and the server's bind; twice in a row is unlikely, five times is not chance. */
const PORT_ATTEMPTS = 5;

export interface StartPostgresOptions {
  /** Server settings by name, e.g. `{ fsync: 'off' }`; without them the server has PostgreSQL's defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The first port to try; by default any free one. */
  readonly port?: number;
  /** The folder of another installation, which holds `bin`, e.g. `/usr/lib/postgresql/15`; by default the npm package. */
  readonly installation?: string;
}

/** A running server of our own. */
export interface LocalPostgres {
  /** The superuser's URL of the database `postgres`, password included. */
  readonly url: string;
  /** The server's process. */
  readonly pid: number | undefined;
  /** Stops the server and removes its data. May be called again, and when the server is gone already. */
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL server, 18 unless `installation` says otherwise, on 127.0.0.1, on a free port and with a random password; its data lies in a temporary
 * folder. The server ends with this process, even when that is killed. Throws {@link LocalPostgresError}.
 */
export async function startPostgres(options: StartPostgresOptions = {}): Promise<LocalPostgres> {
  const identity = serverIdentity();
  const installed = options.installation === undefined ? locateBinaries() : binariesIn(options.installation);
  const directory = await makeDirectory(identity);
  try {
    const binaries = await executableBy(identity, installed, directory);
    const password = randomBytes(18).toString('base64url');
    const data = await initdb(binaries, identity, directory, password);
    return await startCluster(
      { binaries, identity, directory, data, password, settings: options.settings ?? {} },
      options.port,
    );
  } catch (error) {
    await removeDirectory(directory);
    throw error;
  }
}

/** A data directory with what it takes to run a server on it. */
export interface Cluster {
  readonly binaries: Binaries;
  readonly identity: Identity;
  readonly directory: string;
  readonly data: string;
  readonly password: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** Starts a server on a data directory that is there; both go away together. */
export async function startCluster(cluster: Cluster, firstPort?: number): Promise<LocalPostgres> {
  for (let attempt = 1; ; attempt += 1) {
    const port = attempt === 1 && firstPort !== undefined ? firstPort : await freePort();
    const outcome = await tryPort(cluster, port);
    if (outcome !== 'port-taken') return outcome;
    if (attempt === PORT_ATTEMPTS)
      throw new LocalPostgresError('PGL_START_FAILED', `No free port in ${attempt} attempts.`);
  }
}

async function tryPort(cluster: Cluster, port: number): Promise<LocalPostgres | 'port-taken'> {
  const { identity, directory } = cluster;
  const log = join(directory, `server-${port}.log`);
  const server = await spawnSupervised(serverCommand(cluster, port), { identity, directory, log });
  const url = `postgres://postgres:${cluster.password}@127.0.0.1:${port}/postgres?sslmode=disable`;
  const outcome = await untilReady(url, server);
  if (outcome === 'ready') return localPostgres(url, server, directory);
  await server.stop();
  const output = await readFile(log, 'utf8');
  if (outcome === 'ended' && output.includes('could not bind')) return 'port-taken';
  throw outcome === 'ended'
    ? new LocalPostgresError('PGL_START_FAILED', `PostgreSQL ended while it started:\n${output}`)
    : new LocalPostgresError('PGL_START_TIMEOUT', `PostgreSQL not ready in time:\n${output}`);
}

function serverCommand(cluster: Cluster, port: number): readonly string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    // No socket: its path may be longer than the system allows, and nobody needs it.
    unix_socket_directories: '',
    ...cluster.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return [cluster.binaries.postgres, '-D', cluster.data, '-p', String(port), ...flags];
}

function localPostgres(url: string, server: SupervisedProcess, directory: string): LocalPostgres {
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await server.stop();
    await removeDirectory(directory);
  };
  return { url, pid: server.pid, stop: () => (stopped ??= stop()) };
}
