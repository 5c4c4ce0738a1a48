import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { Billing } from '../billing/billing.ts';
import type { Consume } from '../billing/consumer.ts';

/** Listens on the port of the URL for requests that carry the secret's signature. */
export const consume: Consume = ({ billing, source, onReady }) => {
  const webhook = new Webhook(source.password);
  const { port } = new URL(source.url);
  return new Promise<never>((_, reject) => {
    const server = createServer((request, response) => {
      answer(request, webhook, billing).then(
        (status) => response.writeHead(status).end(),
        // Billing is not able at the moment; the dispatcher tries again.
        () => response.writeHead(503).end(),
      );
    });
    server.once('error', reject);
    server.listen(Number(port), '127.0.0.1', () => {
      onReady(`port ${port}`);
    });
  });
};

/** 204: the invoice is written, or was before. 401: who sent this does not know the secret. */
async function answer(request: IncomingMessage, webhook: Webhook, billing: Billing): Promise<number> {
  const body = await text(request);
  const header = (name: string): string => String(request.headers[name] ?? '');
  try {
    const signed = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
      (name) => [name, header(name)] as const,
    );
    webhook.verify(body, Object.fromEntries(signed));
  } catch (error) {
    if (error instanceof WebhookVerificationError) return 401;
    throw error;
  }
  const version = Number(header('waybill-version'));
  await billing.receive({ id: header('webhook-id'), type: header('waybill-type'), version, body });
  return 204;
}
