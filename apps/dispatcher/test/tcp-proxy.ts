import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

interface Mode {
  frozen: boolean;
  refusing: boolean;
  refused: number;
  target: URL;
}

/** A proxy in front of PostgreSQL whose wires a test can cut, freeze and refuse. */
export class TcpProxy implements AsyncDisposable {
  /** The database's URL through the proxy. */
  readonly url: string;
  readonly #server: ReturnType<typeof createServer>;
  readonly #pairs: Set<readonly [Socket, Socket]>;
  readonly #mode: Mode;

  private constructor(
    url: string,
    server: ReturnType<typeof createServer>,
    pairs: Set<readonly [Socket, Socket]>,
    mode: Mode,
  ) {
    this.url = url;
    this.#server = server;
    this.#pairs = pairs;
    this.#mode = mode;
  }

  static async before(databaseUrl: string): Promise<TcpProxy> {
    const pairs = new Set<readonly [Socket, Socket]>();
    const mode: Mode = { frozen: false, refusing: false, refused: 0, target: new URL(databaseUrl) };
    const server = createServer((client) => {
      if (mode.refusing) {
        mode.refused += 1;
        client.destroy();
        return;
      }
      const upstream = connect(Number(mode.target.port), mode.target.hostname);
      const pair = [client, upstream] as const;
      pairs.add(pair);
      const end = (): void => {
        pairs.delete(pair);
        client.destroy();
        upstream.destroy();
      };
      for (const socket of pair) socket.on('error', end).on('close', end);
      client.pipe(upstream);
      upstream.pipe(client);
      if (mode.frozen) freeze(pair);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(databaseUrl);
    // A server that listens on TCP has an address with a port.
    url.port = String((server.address() as AddressInfo).port);
    return new TcpProxy(url.href, server, pairs, mode);
  }

  /** Cuts every connection and refuses new ones until {@link restore}. */
  cut(): void {
    this.#mode.refusing = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  /** Cuts every connection and leads new ones to another server, as an address does after a failover. */
  switchTo(databaseUrl: string): void {
    this.#mode.target = new URL(databaseUrl);
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  /** Sockets stay open and nothing passes any more, in either direction: packets vanish without a reset. */
  freeze(): void {
    this.#mode.frozen = true;
    for (const pair of this.#pairs) freeze(pair);
  }

  /** New connections pass again; those that are frozen stay so. */
  passNewOnly(): void {
    this.#mode.frozen = false;
  }

  /** Connections that were refused so far. */
  get refused(): number {
    return this.#mode.refused;
  }

  /** New connections work again, and what was frozen goes on. */
  restore(): void {
    this.#mode.frozen = false;
    this.#mode.refusing = false;
    for (const [client, upstream] of this.#pairs) {
      upstream.pipe(client);
      client.pipe(upstream);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function freeze([client, upstream]: readonly [Socket, Socket]): void {
  client.unpipe(upstream);
  upstream.unpipe(client);
}
