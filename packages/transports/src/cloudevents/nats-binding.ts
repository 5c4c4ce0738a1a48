import { percentEncode } from '../percent-encode.ts';
import type { OutgoingMessage } from '../transport.ts';
import { cloudEventAttributes } from './cloud-event.ts';
import type { CloudEventsEnvelope } from './envelope.ts';
import { structuredJson } from './json-format.ts';
import { DATA_MEDIA_TYPE, EVENT_MEDIA_TYPE } from './media-types.ts';

/** An event as a NATS message. */
export interface NatsEvent {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string;
}

/**
 * Encodes a message by the NATS protocol binding of CloudEvents. Binary mode came with version 1.0.3 of the binding; other than
 * over HTTP the media type of the data is an attribute like the others there.
 */
export function natsEvent(message: OutgoingMessage, envelope: CloudEventsEnvelope): NatsEvent {
  const attributes = cloudEventAttributes(message, envelope);
  if (envelope.mode === 'structured')
    return { headers: { 'Content-Type': EVENT_MEDIA_TYPE }, payload: structuredJson(attributes, message.body) };
  const headers = Object.entries({ ...attributes, datacontenttype: DATA_MEDIA_TYPE }).map(
    ([attribute, value]) => [`ce-${attribute}`, percentEncode(value)] as const,
  );
  return { headers: Object.fromEntries(headers), payload: message.body };
}
