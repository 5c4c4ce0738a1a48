import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Answer, answer } from './answer.ts';
import { answerMetrics, asksForMetrics, type MetricsPage } from './metrics-answer.ts';
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
  readonly metrics: MetricsPage;
}

// A probe is one short request. What takes longer is not a probe, and must not hold the shutdown up.
const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Serves `/livez`, `/readyz` and `/metrics`.
 * @throws HealthServerError when the address cannot be listened on
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      void serve(request, response, options);
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

/** Never rejects: each answer is made of what is at hand. */
async function serve(request: IncomingMessage, response: ServerResponse, options: HealthServerOptions): Promise<void> {
  const { method = '', url = '', headers } = request;
  if (asksForMetrics(url)) send(request, response, await answerMetrics(method, headers.authorization, options.metrics));
  else respond(request, response, answer(method, url, options.facts(), options.limits));
}

function respond(request: IncomingMessage, response: ServerResponse, { status, body }: Answer): void {
  send(request, response, {
    status,
    contentType: 'application/json; charset=utf-8',
    text: `${JSON.stringify(body)}\n`,
  });
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, contentType, text }: { readonly status: number; readonly contentType: string; readonly text: string },
): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
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
