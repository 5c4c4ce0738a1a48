import { percentEncode } from '../percent-encode.ts';
import type { OutgoingMessage } from '../transport.ts';
import { cloudEventAttributes } from './cloud-event.ts';
import type { CloudEventsEnvelope } from './envelope.ts';
import { structuredJson } from './json-format.ts';
import { DATA_MEDIA_TYPE, EVENT_MEDIA_TYPE } from './media-types.ts';

/** An event as the content of an HTTP request. */
export interface HttpEvent {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Encodes a message by the HTTP protocol binding of CloudEvents 1.0.2. In binary mode the body stays byte for byte what was stored. */
export function httpEvent(message: OutgoingMessage, envelope: CloudEventsEnvelope): HttpEvent {
  const attributes = cloudEventAttributes(message, envelope);
  if (envelope.mode === 'structured') {
    return {
      contentType: EVENT_MEDIA_TYPE,
      headers: {},
      body: structuredJson(attributes, message.body),
    };
  }
  const headers = Object.entries(attributes).map(
    ([attribute, value]) => [`ce-${attribute}`, percentEncode(value)] as const,
  );
  return { contentType: DATA_MEDIA_TYPE, headers: Object.fromEntries(headers), body: message.body };
}
