import { percentEncode } from './percent-encode.ts';
import type { OutgoingMessage } from './transport.ts';

/**
 * What a consumer needs besides the body, under the same names in every binding. Key and tenant are percent-encoded, so that
 * `decodeURIComponent` gives them back whatever the binding allows in a header.
 */
export function waybillHeaders(message: OutgoingMessage): Record<string, string> {
  return {
    'waybill-type': message.type,
    'waybill-version': String(message.version),
    'waybill-kind': message.kind,
    'waybill-attempt': String(message.attempt),
    'waybill-occurred-at': message.occurredAt.toISOString(),
    ...(message.recordKey === '' ? {} : { 'waybill-record-key': percentEncode(message.recordKey) }),
    ...(message.tenant === null ? {} : { 'waybill-tenant': percentEncode(message.tenant) }),
  };
}
