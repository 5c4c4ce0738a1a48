import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerCertificate } from './certificate-authority.ts';
import { freePort } from './free-port.ts';
import { removeDirectory } from './remove-directory.ts';
import { startServerProcess } from './start-server-process.ts';

/** A Redis server with an append-only file, synchronised once a second, private to whoever started it. Its default user needs no password. */
export interface RedisServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a server; `program` is the path of `redis-server`. With a certificate it speaks TLS alone. */
export async function startRedisServer(program: string, certificate?: ServerCertificate): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), 'waybill-redis-'));
  const port = await freePort();
  const address = ['--bind', '127.0.0.1', ...(certificate ? overTls(certificate, port) : ['--port', String(port)])];
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

function overTls({ certificateFile, keyFile, authorityFile }: ServerCertificate, port: number): readonly string[] {
  const files = ['--tls-cert-file', certificateFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', authorityFile];
  return ['--port', '0', '--tls-port', String(port), ...files, '--tls-auth-clients', 'no'];
}
