import { compatibilityPartitioner, type MessageToProduce } from '@platformatic/kafka';
import { kafkaEvent } from '../cloudevents/kafka-binding.ts';
import type { OutgoingMessage } from '../transport.ts';
import { waybillHeaders } from '../waybill-headers.ts';
import type { KafkaSettings } from './settings.ts';

/** A record whose partition is decided. */
export interface PlacedRecord extends MessageToProduce {
  readonly partition: number;
}

/** A message as a record. The record key is its key, so that one partition keeps its order; without one the id spreads the load. */
export function recordOf(
  message: OutgoingMessage,
  { topic, cloudEvents }: Pick<KafkaSettings, 'topic' | 'cloudEvents'>,
  partitions: number,
): PlacedRecord {
  const event = cloudEvents
    ? kafkaEvent(message, cloudEvents)
    : { headers: { 'content-type': 'application/json' }, value: message.body };
  const headers = { ...message.headers, 'waybill-id': message.id, ...waybillHeaders(message), ...event.headers };
  const record = {
    topic,
    ...(message.recordKey === '' ? {} : { key: Buffer.from(message.recordKey) }),
    value: Buffer.from(event.value),
    headers: new Map(Object.entries(headers).map(([name, value]) => [Buffer.from(name), Buffer.from(value)])),
  };
  // The same partition as other clients choose for the key.
  const partition = compatibilityPartitioner(record, Buffer.from(message.recordKey || message.id)) % partitions;
  return { ...record, partition };
}
