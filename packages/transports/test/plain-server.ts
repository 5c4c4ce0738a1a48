import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A server that understands nothing. */
export interface PlainServer {
  readonly port: number;
  /** How many have connected. */
  connections(): number;
  /** What they said. */
  received(): string;
  stop(): Promise<void>;
}

/** Listens, keeps what it is told, and hangs up after the first of it. */
export async function startPlainServer(greeting = ''): Promise<PlainServer> {
  const received: Buffer[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      received.push(chunk);
      socket.end();
    });
    if (greeting !== '') socket.write(greeting);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // a listening TCP server has one
    connections: () => connections,
    received: () => Buffer.concat(received).toString('latin1'),
    async stop() {
      server.close();
      await once(server, 'close');
    },
  };
}
