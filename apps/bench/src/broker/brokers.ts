import type { Broker, BrokerName } from './broker.ts';

/** Loaded when needed: nobody's client is in the heap of another. */
const LOADERS: Readonly<Record<BrokerName, () => Promise<Broker>>> = {
  'nats-jetstream': async () => (await import('./nats-jetstream.ts')).natsBroker,
  rabbitmq: async () => (await import('./rabbitmq.ts')).rabbitMqBroker,
  'redis-streams': async () => (await import('./redis-streams.ts')).redisBroker,
  kafka: async () => (await import('./kafka.ts')).kafkaBroker,
};

export function loadBroker(name: BrokerName): Promise<Broker> {
  return LOADERS[name]();
}
