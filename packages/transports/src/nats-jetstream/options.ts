import type { CloudEventsEnvelope } from '../cloudevents/envelope.ts';
import type { MonotonicClock } from '../publish-window.ts';
import type { OutgoingMessage } from '../transport.ts';

/** Where messages are published, and as whom. */
export interface NatsJetStreamOptions {
  /** The destination's name in logs and metrics. Default `nats-jetstream`. */
  readonly name?: string;
  /** Servers of one cluster, as `host:port` or `tls://host:port`. One of them with `tls://` asks for TLS with all. */
  readonly servers: readonly string[];
  /** The stream that has to take the messages. A subject that another stream captures is refused. */
  readonly stream: string;
  /** The subject of a message. Default: its type. */
  readonly subject?: (message: OutgoingMessage) => string;
  /** How to sign in. Default: not at all. Never shown. */
  readonly credentials?: NatsCredentials;
  /** PEM certificates of the authorities to trust instead of Node's own list; setting it asks for TLS. */
  readonly ca?: string;
  /** Sends the messages as CloudEvents. Default: the stored body with Waybill's headers. */
  readonly cloudEvents?: CloudEventsEnvelope;
  /** For how long the stream drops repeated ids, as it was set up: `probe` warns when the stream has less. Default two minutes, the server's default. */
  readonly duplicateWindowMs?: number;
  /** TCP, TLS and sign-in together. Default 5,000. */
  readonly connectTimeoutMs?: number;
  /** The largest body sent. Default 1,000,000, which leaves room for headers below the server's default `max_payload` of 1 MiB. */
  readonly maxBytes?: number;
  /** Clock of the deadline. Default `performance.now`. */
  readonly now?: MonotonicClock;
}

/** A user with a password, or a token. */
export type NatsCredentials = { readonly user: string; readonly pass: string } | { readonly token: string };
