import type { OutgoingMessage } from '../transport.ts';

/** What an operator decides about the envelope. */
export interface CloudEventsOptions {
  /** The producer, as a URI reference such as `/acme/orders`; with the message's id it names the event in the world. */
  readonly source: string;
  /** The URI of the schema of one version of a type. Default: `urn:waybill:<type>:<version>`. */
  readonly dataSchema?: (type: string, version: number) => string;
}

/**
 * The attributes of a message as a CloudEvents 1.0 event, in the order in which they are written. All are text, as every
 * binding writes them.
 */
export function cloudEventAttributes(
  message: OutgoingMessage,
  options: CloudEventsOptions,
): Readonly<Record<string, string>> {
  const { dataSchema = defaultDataSchema } = options;
  const { traceparent, tracestate } = message.headers;
  return {
    specversion: '1.0',
    id: message.id,
    source: options.source,
    type: message.type,
    time: message.occurredAt.toISOString(),
    dataschema: dataSchema(message.type, message.version),
    // The record key is `Object/id`: what the event is about, and what keeps it in order.
    ...(message.recordKey === '' ? {} : { subject: message.recordKey, partitionkey: message.recordKey }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
  };
}

function defaultDataSchema(type: string, version: number): string {
  return `urn:waybill:${type}:${version}`;
}
