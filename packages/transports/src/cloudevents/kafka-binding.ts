import type { OutgoingMessage } from '../transport.ts';
import { cloudEventAttributes } from './cloud-event.ts';
import type { CloudEventsEnvelope } from './envelope.ts';
import { structuredJson } from './json-format.ts';
import { DATA_MEDIA_TYPE, EVENT_MEDIA_TYPE } from './media-types.ts';

/** An event as a Kafka record. Its key is that of the record, since a mapping must not change the event. */
export interface KafkaEvent {
  readonly headers: Readonly<Record<string, string>>;
  readonly value: string;
}

/** Encodes a message by the Kafka protocol binding of CloudEvents. Header values are UTF-8 as they are. */
export function kafkaEvent(message: OutgoingMessage, envelope: CloudEventsEnvelope): KafkaEvent {
  const attributes = cloudEventAttributes(message, envelope);
  if (envelope.mode === 'structured')
    return { headers: { 'content-type': EVENT_MEDIA_TYPE }, value: structuredJson(attributes, message.body) };
  const headers = Object.entries(attributes).map(([attribute, value]) => [`ce_${attribute}`, value] as const);
  return {
    headers: { 'content-type': DATA_MEDIA_TYPE, ...Object.fromEntries(headers) },
    value: message.body,
  };
}
