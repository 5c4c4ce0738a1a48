import type { AnyMessage, ReadPayload } from '@waybill/contracts';
import type { TypedRecord } from '@waybill/store';
import type { OutgoingMessage } from '@waybill/transports';
import type { HandledMessage } from '../routes/handled-message.ts';

/** A record that was read, in the hands of one attempt. */
export interface ReadRecord {
  readonly record: TypedRecord;
  readonly message: AnyMessage;
  readonly read: ReadPayload;
  readonly fence: string;
}

/** What a transport gets. The stored text leaves as it is unless another version was asked for: somebody may have signed or hashed it. */
export function outgoing({ record, message, read, fence }: ReadRecord): OutgoingMessage {
  return {
    id: record.id,
    type: record.type,
    kind: message.kind,
    version: read.version,
    occurredAt: record.occurredAt,
    tenant: record.tenant,
    recordKey: record.recordKey,
    event: record.event,
    headers: record.headers,
    body: read.applied.length === 0 ? record.payload : JSON.stringify(read.payload),
    attempt: record.attempt + 1,
    fence,
  };
}

/** What a handler gets beside the payload. */
export function handled({ record, message, fence }: ReadRecord): HandledMessage {
  return {
    id: record.id,
    kind: message.kind,
    type: record.type,
    writtenVersion: record.version,
    occurredAt: record.occurredAt,
    enqueuedAt: record.enqueuedAt,
    tenant: record.tenant,
    recordKey: record.recordKey,
    event: record.event,
    headers: record.headers,
    position: record.position,
    attempt: record.attempt + 1,
    fence,
  };
}
