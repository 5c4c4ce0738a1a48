import type { OutgoingMessage } from '../transport.ts';
import { cloudEventAttributes } from './cloud-event.ts';
import type { CloudEventsEnvelope } from './envelope.ts';
import { structuredJson } from './json-format.ts';
import { DATA_MEDIA_TYPE, EVENT_MEDIA_TYPE } from './media-types.ts';

/** An event as an AMQP message. Brokers of AMQP 0-9-1 call the application properties headers. */
export interface AmqpEvent {
  readonly contentType: string;
  readonly applicationProperties: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Encodes a message by the AMQP protocol binding of CloudEvents. Of the two prefixes it allows this is the one that it prefers,
 * and of the two forms of a value the canonical string.
 */
export function amqpEvent(message: OutgoingMessage, envelope: CloudEventsEnvelope): AmqpEvent {
  const attributes = cloudEventAttributes(message, envelope);
  if (envelope.mode === 'structured') {
    return {
      contentType: EVENT_MEDIA_TYPE,
      applicationProperties: {},
      body: structuredJson(attributes, message.body),
    };
  }
  const properties = Object.entries(attributes).map(
    ([attribute, value]) => [`cloudEvents_${attribute}`, value] as const,
  );
  return {
    contentType: DATA_MEDIA_TYPE,
    applicationProperties: Object.fromEntries(properties),
    body: message.body,
  };
}
