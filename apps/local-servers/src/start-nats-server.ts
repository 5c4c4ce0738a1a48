import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerCertificate } from './certificate-authority.ts';
import { freePort } from './free-port.ts';
import { removeDirectory } from './remove-directory.ts';
import { startServerProcess } from './start-server-process.ts';

/** A NATS server with JetStream, private to whoever started it. */
export interface NatsServer {
  readonly port: number;
  readonly user: string;
  readonly password: string;
  stop(): Promise<void>;
}

const USER = 'waybill';
const PASSWORD = 'right';

/** Starts a server; `program` is the path of `nats-server`. With a certificate it asks for TLS. */
export async function startNatsServer(program: string, certificate?: ServerCertificate): Promise<NatsServer> {
  const directory = await mkdtemp(join(tmpdir(), 'waybill-nats-'));
  const port = await freePort();
  const address = ['-a', '127.0.0.1', '-p', String(port)];
  const tls = certificate ? ['--tls', '--tlscert', certificate.certificateFile, '--tlskey', certificate.keyFile] : [];
  const args = [...address, ...tls, '-js', '-sd', directory, '--user', USER, '--pass', PASSWORD];
  const server = await startServerProcess({ program, args, port });
  return {
    port,
    user: USER,
    password: PASSWORD,
    async stop() {
      await server.stop();
      await removeDirectory(directory);
    },
  };
}
