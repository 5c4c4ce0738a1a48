import { percentEncode } from '../percent-encode.ts';
import type { OutgoingMessage } from '../transport.ts';
import { type CloudEventsOptions, cloudEventAttributes } from './cloud-event.ts';
import { structuredJson } from './json-format.ts';

/** How an event travels: its attributes beside the data, or both in one JSON object. */
export const CLOUD_EVENTS_MODES = ['binary', 'structured'] as const;
export type CloudEventsMode = (typeof CLOUD_EVENTS_MODES)[number];

/** An event as the content of an HTTP request. */
export interface HttpEvent {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Encodes a message by the HTTP protocol binding of CloudEvents 1.0.2. In binary mode the body stays byte for byte what was stored. */
export function httpEvent(message: OutgoingMessage, mode: CloudEventsMode, options: CloudEventsOptions): HttpEvent {
  const attributes = cloudEventAttributes(message, options);
  if (mode === 'structured') {
    return {
      contentType: 'application/cloudevents+json; charset=utf-8',
      headers: {},
      body: structuredJson(attributes, message.body),
    };
  }
  const headers = Object.entries(attributes).map(
    ([attribute, value]) => [`ce-${attribute}`, percentEncode(value)] as const,
  );
  return { contentType: 'application/json', headers: Object.fromEntries(headers), body: message.body };
}
