import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * How a line behaves.
 *
 * - `pass`: as if it were not there.
 * - `down`: open connections are cut, new ones refused.
 * - `slow`: answers arrive a quarter of a second late.
 * - `cut-request`: nothing that the client sends arrives; at its first byte the connection is cut.
 * - `cut-answer`: what the client sends arrives; at the first byte of an answer the connection is cut.
 * - `hold-answer`: what the client sends arrives; answers are held back until the line passes again. None gets lost, as none
 *   does in a TCP connection that stays open.
 * - `hang`: connections open by now are as with `hold-answer`, new ones pass. So looks a connection that one side has lost.
 */
export type LineMode = 'pass' | 'slow' | 'down' | 'cut-request' | 'cut-answer' | 'hold-answer' | 'hang';

/** A line to a server on 127.0.0.1 that can be broken on purpose. */
export interface TcpProxy {
  /** The port to connect to instead of the server's. */
  readonly port: number;
  /** How many connections are open. */
  connections(): number;
  /** Changes the behaviour of open and of new connections. */
  become(mode: LineMode): Promise<void>;
  stop(): Promise<void>;
}

// Far more than a local server takes, far less than anybody's patience.
const SLOW_MS = 250;

/** Starts a proxy on a free port in front of `targetPort`. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  /** The open connections, each with the answers held back from it. */
  const clients = new Map<Socket, Buffer[]>();
  let mode: LineMode = 'pass';

  const accept = (client: Socket): void => {
    const server = connect(targetPort, '127.0.0.1');
    const held: Buffer[] = [];
    const isNew = mode === 'hang';
    clients.set(client, held);
    for (const [side, other] of [
      [client, server],
      [server, client],
    ] as const) {
      side.on('error', () => other.destroy());
      side.on('close', () => other.destroy());
    }
    client.on('close', () => clients.delete(client));
    client.on('data', (chunk) => {
      if (mode === 'cut-request') client.resetAndDestroy();
      else server.write(chunk);
    });
    client.on('end', () => server.end());
    server.on('end', () => client.end());
    server.on('data', (chunk) => {
      if (mode === 'pass' || (mode === 'hang' && isNew)) client.write(chunk);
      if (mode === 'hold-answer' || (mode === 'hang' && !isNew)) held.push(chunk);
      if (mode === 'cut-answer') client.resetAndDestroy();
      if (mode === 'slow') {
        held.push(chunk);
        setTimeout(() => {
          if (mode === 'slow') release(client, held);
        }, SLOW_MS);
      }
    });
  };

  let listener = await listenSomewhere(accept);
  const { port } = listener.address() as AddressInfo; // a listening TCP server has one
  const goDown = async (): Promise<void> => {
    if (!listener.listening) return;
    const closed = once(listener, 'close');
    listener.close();
    for (const client of clients.keys()) client.destroy();
    await closed;
  };

  return {
    port,
    connections: () => clients.size,
    async become(next) {
      mode = next;
      if (next === 'pass') for (const [client, held] of clients) release(client, held);
      if (next === 'down') await goDown();
      else if (!listener.listening) listener = await listen(port, accept);
    },
    stop: goDown,
  };
}

// Below the range from which systems take the ports of outgoing connections: while the line is down, one of those could get the port, and a client
// that tries again and again could even be connected to itself.
const FIRST_PORT = 12_000;
const LAST_PORT = 31_999;
const TRIES = 100;

async function listenSomewhere(accept: (client: Socket) => void): Promise<Server> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await listen(randomInt(FIRST_PORT, LAST_PORT + 1), accept);
    } catch (error) {
      if (tries === TRIES) throw error; // somebody has each of them, or nobody may listen
    }
  }
}

/** Lets go, in order, what was held back. */
function release(client: Socket, held: Buffer[]): void {
  for (const chunk of held.splice(0)) client.write(chunk);
}

async function listen(port: number, accept: (client: Socket) => void): Promise<Server> {
  const listener = createServer(accept);
  listener.listen(port, '127.0.0.1');
  await once(listener, 'listening');
  return listener;
}
