import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Answer, answer } from './answer.ts';
import type { HealthFacts, HealthLimits } from './verdict.ts';

export interface HealthServer {
  /** Where it listens, with the real port: `http://127.0.0.1:8080`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface HealthServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly limits: HealthLimits;
  readonly facts: () => HealthFacts;
}

// A probe is one short request. What takes longer is not a probe, and must not hold the shutdown up.
const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Serves `/livez` and `/readyz`.
 * @throws HealthServerError when the address cannot be listened on
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      respond(request, response, answer(request.method ?? '', request.url ?? '', options.facts(), options.limits));
    },
  );
  await listen(server, options);
  return { url: urlOf(server), close: () => close(server) };
}

/** The address of the health server cannot be listened on. */
export class HealthServerError extends Error {
  override readonly name = 'HealthServerError';
  readonly code = 'DSP_HEALTH_ADDRESS';
}

function respond(request: IncomingMessage, response: ServerResponse, { status, body }: Answer): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}

async function listen(server: Server, { host, port }: HealthServerOptions): Promise<void> {
  server.listen(port, host);
  try {
    // `once` rejects when 'error' comes first.
    await once(server, 'listening');
  } catch (error) {
    throw new HealthServerError(`cannot listen on ${host} port ${port}; see the settings health.host and health.port`, {
      cause: error,
    });
  }
}

function urlOf(server: Server): string {
  const address = server.address();
  // Only a server on a pipe, or one that does not listen, has no such address.
  if (address === null || typeof address === 'string') throw new HealthServerError('the server has no address');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
