import type { CloudEventsEnvelope } from '../cloudevents/envelope.ts';
import type { MonotonicClock } from '../publish-window.ts';

/** Where messages are produced, and as whom. */
export interface KafkaOptions {
  /** The destination's name in logs and metrics. Default `kafka`. */
  readonly name?: string;
  /** Some brokers of the cluster, as `host:port`; the others are learned from them. */
  readonly brokers: readonly string[];
  /** The topic, which has to be there: it is never created. */
  readonly topic: string;
  /** How to sign in. Default: not at all. Never shown. */
  readonly credentials?: KafkaCredentials;
  /** TLS to the brokers; `ca` are PEM certificates of the authorities to trust instead of Node's own list. Default: none. */
  readonly tls?: { readonly ca?: string };
  /** Sends the messages as CloudEvents. Default: the stored body with Waybill's headers. */
  readonly cloudEvents?: CloudEventsEnvelope;
  /** The most messages produced at once. Default 500. */
  readonly maxBatch?: number;
  /** TCP, TLS and sign-in of each broker. Default 5,000. */
  readonly connectTimeoutMs?: number;
  /** The largest body sent, and the most bytes produced at once. Default 900,000, which leaves room for headers below the default `max.message.bytes`. */
  readonly maxBytes?: number;
  /** Clock of the deadline. Default `performance.now`. */
  readonly now?: MonotonicClock;
}

/** How the cluster checks a user. PLAIN sends the password itself, so give it TLS. */
export const KAFKA_MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;
export type KafkaMechanism = (typeof KAFKA_MECHANISMS)[number];

/** A user with a password. */
export interface KafkaCredentials {
  readonly mechanism: KafkaMechanism;
  readonly username: string;
  readonly password: string;
}
