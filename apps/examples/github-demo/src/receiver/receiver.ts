import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { Random } from '../input/random.ts';

/** What the receiver saw, in the order in which it answered. */
export interface Receiver {
  /** Where dispatchers post to. */
  readonly url: string;
  /** The message ids that were answered with 200, repeats included. */
  readonly accepted: readonly string[];
  /** How many distinct messages were accepted. */
  readonly distinct: () => number;
  /** How many requests were answered with 500 on purpose. */
  readonly hiccups: () => number;
  /** How many requests carried no valid signature; they were answered with 401. */
  readonly forged: () => number;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  /** A Standard Webhooks secret, `whsec_...`. */
  readonly secret: string;
  readonly random: Random;
  /** The share of requests that are answered with 500. */
  readonly hiccupShare: number;
}

/**
 * A consumer with a web server, as somebody else would write it: it checks signatures with the reference library of Standard
 * Webhooks and knows nothing of Waybill but its headers. Now and then it fails.
 */
export async function openReceiver({ secret, random, hiccupShare }: ReceiverOptions): Promise<Receiver> {
  const webhook = new Webhook(secret);
  const accepted: string[] = [];
  const distinct = new Set<string>();
  let hiccups = 0;
  let forged = 0;

  /** The status that a request deserves. A message counts as accepted here, and in the same tick its answer is on its way. */
  const judge = (id: string, genuine: boolean): number => {
    if (!genuine) {
      forged += 1;
      return 401;
    }
    if (random() < hiccupShare) {
      hiccups += 1;
      return 500;
    }
    accepted.push(id);
    distinct.add(id);
    return 200;
  };

  const server = createServer((request, response) => {
    answer(request, response, webhook, judge).catch((error: unknown) => {
      // The sender went away in the middle of its request, so nobody is left to be answered.
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  const url = await listen(server);
  return {
    url,
    accepted,
    distinct: () => distinct.size,
    hiccups: () => hiccups,
    forged: () => forged,
    close: () => close(server),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  webhook: Webhook,
  judge: (id: string, genuine: boolean) => number,
): Promise<void> {
  const body = await buffer(request);
  const headers = {
    'webhook-id': headerOf(request, 'webhook-id'),
    'webhook-timestamp': headerOf(request, 'webhook-timestamp'),
    'webhook-signature': headerOf(request, 'webhook-signature'),
  };
  const status = judge(headers['webhook-id'], isGenuine(webhook, body, headers));
  response.writeHead(status).end();
}

function headerOf(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
}

function isGenuine(webhook: Webhook, body: Buffer, headers: Record<string, string>): boolean {
  try {
    webhook.verify(body, headers);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address !== null && typeof address === 'object') resolve(`http://127.0.0.1:${address.port}`);
      else reject(new TypeError('a listening TCP server has an address'));
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => {
      if (error === undefined) resolve();
      else reject(error);
    });
    // Dispatchers keep connections alive; at the end nobody is left to use them.
    server.closeAllConnections();
  });
}
