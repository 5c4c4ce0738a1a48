import type { OutgoingMessage } from '../transport.ts';

/** One message as a line of JSON. The body is kept as text, since parsing it would change numbers and spaces. */
export function messageLine(message: OutgoingMessage): string {
  return `${JSON.stringify({
    id: message.id,
    type: message.type,
    kind: message.kind,
    version: message.version,
    occurredAt: message.occurredAt,
    tenant: message.tenant,
    recordKey: message.recordKey,
    event: message.event,
    headers: message.headers,
    attempt: message.attempt,
    body: message.body,
  })}\n`;
}
