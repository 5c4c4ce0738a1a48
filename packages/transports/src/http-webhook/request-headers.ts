import { percentEncode } from '../percent-encode.ts';
import type { OutgoingMessage } from '../transport.ts';
import { waybillHeaders } from '../waybill-headers.ts';
import { sign } from './signature.ts';

/** What the headers of a request are made from, besides the message. */
export interface HeaderSources {
  readonly keys: readonly Buffer[];
  readonly headers: Readonly<Record<string, string>>;
  readonly passHeaders: readonly string[];
}

/** The body of a request and what describes it. */
export interface RequestContent {
  readonly contentType: string;
  readonly body: string;
  /** Headers of the envelope, such as those of CloudEvents in binary mode. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The headers of one attempt: Standard Webhooks' three, Waybill's own, those passed on from the message and the configured ones.
 *
 * @param wallNowMs time of the attempt, which the signature covers so that a receiver can turn old requests away.
 */
export function requestHeaders(
  message: OutgoingMessage,
  content: RequestContent,
  sources: HeaderSources,
  wallNowMs: number,
): Record<string, string> {
  const timestampSeconds = Math.floor(wallNowMs / 1000);
  return {
    ...passedOn(message, sources.passHeaders),
    ...content.headers,
    ...sources.headers,
    'content-type': content.contentType,
    'user-agent': 'waybill',
    'webhook-id': message.id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': sign(sources.keys, { id: message.id, timestampSeconds, body: content.body }),
    ...waybillHeaders(message),
  };
}

function passedOn({ headers }: OutgoingMessage, names: readonly string[]): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [header, value] of Object.entries(headers)) {
    if (names.includes(header.toLowerCase()))
      passed[header.toLowerCase()] = isHeaderValue(value) ? value : percentEncode(value);
  }
  return passed;
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
// Set by the transport itself, or by the connection.
const OWN_HEADER =
  /^(webhook-.*|waybill-.*|ce-.*|content-.*|host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|user-agent)$/;

/** Whether a header's name is one and may be configured. */
export function isFreeHeader(header: unknown): boolean {
  return typeof header === 'string' && HEADER_NAME.test(header.toLowerCase()) && !OWN_HEADER.test(header.toLowerCase());
}

/** Whether a text can be a header's value as it is. */
export function isHeaderValue(value: unknown): boolean {
  return typeof value === 'string' && HEADER_VALUE.test(value);
}
