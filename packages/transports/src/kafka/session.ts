import { once } from 'node:events';
import { ProduceAcks, Producer } from '@platformatic/kafka';
import { isHostName } from '../host-name.ts';
import type { KafkaSettings } from './settings.ts';

/** A producer with an identity of its own, which is good until its first failure. */
export interface KafkaSession {
  readonly producer: Producer;
  readonly partitions: number;
  /** Replicas of the partition that has fewest. */
  readonly replicas: number;
  readonly lost: Promise<unknown>;
  /** Makes it lost: after a failure nobody knows which sequence number the brokers expect next. */
  readonly giveUp: () => void;
}

// The client's own limit of a request. The window of a publish ends earlier, or its lease would be lost.
const REQUEST_TIMEOUT_MS = 600_000;

/** Connects, signs in, looks the topic up and takes a producer id. */
export async function connectSession(settings: KafkaSettings): Promise<KafkaSession> {
  const { brokers, topic, credentials, tls, connectTimeoutMs } = settings;
  const failed = new AbortController();
  const producer = new Producer<Buffer, Buffer, Buffer, Buffer>({
    clientId: 'waybill',
    bootstrapBrokers: [...brokers],
    idempotent: true,
    acks: ProduceAcks.ALL,
    // A number up to 1 is taken for "for ever" where the producer is idempotent.
    retries: false,
    repeatOnStaleMetadata: false,
    autocreateTopics: false,
    connectTimeout: connectTimeoutMs,
    requestTimeout: REQUEST_TIMEOUT_MS,
    timeout: REQUEST_TIMEOUT_MS,
    metadataMaxAge: Number.MAX_SAFE_INTEGER, // of a session, since another number of partitions would move keys
    ...(credentials ? { sasl: { ...credentials } } : {}),
    // Named in the handshake, since a proxy in front of several brokers goes by it. An address is no name.
    ...(tls ? { tls: { ...tls }, tlsServerName: brokers.every(isNamed) } : {}),
  });
  try {
    const found = (await producer.metadata({ topics: [topic] })).topics.get(topic);
    await producer.initIdempotentProducer({});
    const giveUp = (): void => {
      failed.abort();
      producer.close().catch(() => undefined); // it is of no use any more, however it ends
    };
    return {
      producer,
      partitions: found?.partitionsCount ?? 1,
      replicas: Math.min(...(found?.partitions.map(({ replicas }) => replicas.length) ?? [])),
      lost: once(failed.signal, 'abort'),
      giveUp,
    };
  } catch (error) {
    await producer.close();
    throw error;
  }
}

function isNamed(broker: string): boolean {
  return isHostName(broker.slice(0, broker.lastIndexOf(':')));
}
