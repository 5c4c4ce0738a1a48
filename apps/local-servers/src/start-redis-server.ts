import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { removeDirectory } from './remove-directory.ts';
import { startServerProcess } from './start-server-process.ts';

/** A Redis server with an append-only file, synchronised once a second, private to whoever started it. Its default user needs no password. */
export interface RedisServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a server; `program` is the path of `redis-server`. */
export async function startRedisServer(program: string): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), 'waybill-redis-'));
  const port = await freePort();
  const address = ['--bind', '127.0.0.1', '--port', String(port)];
  const args = [...address, '--dir', directory, '--save', '', '--appendonly', 'yes'];
  const server = await startServerProcess({ program, args, port });
  return {
    port,
    async stop() {
      await server.stop();
      await removeDirectory(directory);
    },
  };
}
