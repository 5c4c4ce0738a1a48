import { amqpEvent } from '../cloudevents/amqp-binding.ts';
import type { OutgoingMessage } from '../transport.ts';
import { waybillHeaders } from '../waybill-headers.ts';
import type { Publication } from './confirming-channel.ts';
import type { RabbitMqSettings } from './settings.ts';

// RabbitMQ takes these headers for further routing keys.
const ROUTING_HEADERS: ReadonlySet<string> = new Set(['CC', 'BCC']);

/** A message as it is published. Properties that AMQP has a name for are set as well, since tools show and select by them. */
export function publicationOf(
  message: OutgoingMessage,
  { exchange, routingKey, cloudEvents }: Pick<RabbitMqSettings, 'exchange' | 'routingKey' | 'cloudEvents'>,
): Publication {
  const { contentType, applicationProperties, body } = cloudEvents
    ? amqpEvent(message, cloudEvents)
    : { contentType: 'application/json', applicationProperties: {}, body: message.body };
  const own = Object.entries(message.headers).filter(([header]) => !ROUTING_HEADERS.has(header));
  return {
    exchange,
    routingKey: routingKey(message),
    content: Buffer.from(body),
    properties: {
      messageId: message.id,
      type: message.type,
      timestamp: Math.floor(message.occurredAt.getTime() / 1000),
      contentType,
      headers: { ...Object.fromEntries(own), ...waybillHeaders(message), ...applicationProperties },
    },
  };
}
