import { type AnyMessage, type PayloadOf, recordKeyOf, writePayload } from '@waybill/contracts';

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

/** Validates and serialises. Throws `CTR_…` for a payload and `STO_INVALID_OPTION` for options; nothing has been sent by then. */
export function prepareMessage<M extends AnyMessage>(
  { message, payload, options = {} }: EnqueueEntry<M>,
  newId: () => string,
  writer: number | null,
): PreparedMessage {
  checkEnqueueOptions(options);
  const written = writePayload(message, payload);
  const bytes = Buffer.byteLength(written.text);
  if (bytes > MAX_PAYLOAD_BYTES) {
    throw new StoreError(
      'STO_INVALID_OPTION',
      `payload: expected at most ${String(MAX_PAYLOAD_BYTES)} bytes of JSON, got ${String(bytes)}`,
    );
  }
  const id = options.id?.toLowerCase() ?? newId();
  return {
    id,
    type: message.type,
    version: written.version,
    payload: written.text,
    descriptor: {
      id,
      type: message.type,
      version: written.version,
      kind: message.kind,
      record_key: options.recordKey ?? recordKeyOf(message, payload),
      tenant: options.tenant,
      event: options.event ?? message.event ?? undefined,
      headers: options.headers,
      occurred_at: options.occurredAt?.toISOString(),
      due_at: options.dueAt?.toISOString(),
      written_by: writer ?? undefined,
    },
  };
}

/** One entry of `enqueueMany`, its payload typed by its message. */
export function entry<M extends AnyMessage>(
  message: M,
  payload: PayloadOf<M>,
  options: EnqueueOptions = {},
): EnqueueEntry {
  return { message, payload, options };
}
