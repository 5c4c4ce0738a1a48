import type { Transport } from '@waybill/transports';

/** In the order in which they are measured; the names of the transports. */
export const BROKER_NAMES = ['nats-jetstream', 'rabbitmq', 'redis-streams', 'kafka'] as const;
export type BrokerName = (typeof BROKER_NAMES)[number];

/** How a broker that was started for the benchmark is reached. */
export interface BrokerAddress {
  readonly broker: BrokerName;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** A broker, reached once through our transport and once through its own client, as fast as that goes. */
export interface Broker {
  /** Makes the stream, the queue or whatever takes the messages, empty. */
  prepare(address: BrokerAddress): Promise<void>;
  transport(address: BrokerAddress): Transport;
  openDirect(address: BrokerAddress): Promise<DirectPublisher>;
  /** How many messages the broker holds, by its own count; null where it does not tell. */
  held(address: BrokerAddress): Promise<number | null>;
}

/** The broker's own client, publishing as its manual says, with confirmation. */
export interface DirectPublisher {
  /** The most messages worth handing over at once. */
  readonly atOnce: number;
  /** Whether several messages go in one call, which keeps their order. */
  readonly inBatches: boolean;
  /** Resolves when the broker has acknowledged all of them. */
  publish(messages: readonly DirectMessage[]): Promise<void>;
  close(): Promise<void>;
}

export interface DirectMessage {
  readonly id: string;
  /** Empty: none. */
  readonly key: string;
  readonly body: Buffer;
}

/** What is on its way at the same time at most, here and in the transports. */
export const IN_FLIGHT = 256;
/** Of a batch where the client takes batches, here and in the transport. */
export const BATCH = 500;
/** Of the messages of the benchmark. */
export const TYPE = 'bench.order-placed';
