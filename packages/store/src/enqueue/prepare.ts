import { type AnyMessage, type PayloadOf, recordKeyOf, type WhenUnreadable, writePayload } from '@waybill/contracts';

import { StoreError } from '../errors.ts';
import { checkEnqueueOptions, type EnqueueOptions } from './options.ts';

/** One message of a bulk enqueue. */
export interface EnqueueEntry<M extends AnyMessage = AnyMessage> {
  readonly message: M;
  readonly payload: PayloadOf<M>;
  readonly options?: EnqueueOptions;
}

/** A message that has been validated and serialised, before the database sees it. */
export interface PreparedMessage {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  /** What the SQL function takes; see `sql/migrations/0003_enqueue.sql`. */
  readonly descriptor: Readonly<Record<string, unknown>>;
  readonly payload: string;
}

// PostgreSQL takes a gigabyte, but a message that large stalls every reader of its key and of its batch.
export const MAX_PAYLOAD_BYTES: number = 16 * 1024 * 1024;

/** A message with what is decided about it before its version is. */
export interface Draft {
  readonly id: string;
  readonly message: AnyMessage;
  /** The record key, or the id of a message without one: what a ramp goes by. */
  readonly key: string;
  readonly whenUnreadable: WhenUnreadable;
  /** The message in one of the versions that its downcasts lead to. Throws `CTR_…` where one of them fails. */
  readonly write: (version: number) => PreparedMessage;
}

/** Validates and serialises. Throws `CTR_…` for a payload and `STO_INVALID_OPTION` for options; nothing has been sent by then. */
export function draftMessage<M extends AnyMessage>(
  { message, payload, options = {} }: EnqueueEntry<M>,
  newId: () => string,
  writer: number | null,
): Draft {
  checkEnqueueOptions(options);
  const id = options.id?.toLowerCase() ?? newId();
  const recordKey = options.recordKey ?? recordKeyOf(message, payload);
  const whenUnreadable = options.whenUnreadable ?? 'downcast';
  const descriptor = {
    id,
    type: message.type,
    kind: message.kind,
    record_key: recordKey,
    tenant: options.tenant,
    event: options.event ?? message.event ?? undefined,
    headers: options.headers,
    occurred_at: options.occurredAt?.toISOString(),
    due_at: options.dueAt?.toISOString(),
    when_unreadable: whenUnreadable,
    written_by: writer ?? undefined,
  };
  const write = (version: number): PreparedMessage => ({
    id,
    type: message.type,
    version,
    payload: payloadText(message, payload, version),
    descriptor: { ...descriptor, version },
  });
  const newest = write(message.newest);
  return {
    id,
    message,
    key: recordKey === '' ? id : recordKey,
    whenUnreadable,
    write: (version) => (version === message.newest ? newest : write(version)),
  };
}

function payloadText<M extends AnyMessage>(message: M, payload: PayloadOf<M>, version: number): string {
  const { text } = writePayload(message, payload, version);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_PAYLOAD_BYTES) return text;
  throw new StoreError(
    'STO_INVALID_OPTION',
    `payload: expected at most ${String(MAX_PAYLOAD_BYTES)} bytes of JSON, got ${String(bytes)}`,
  );
}

/** One entry of `enqueueMany`, its payload typed by its message. */
export function entry<M extends AnyMessage>(
  message: M,
  payload: PayloadOf<M>,
  options: EnqueueOptions = {},
): EnqueueEntry {
  return { message, payload, options };
}
