import type { CloudEventsEnvelope } from '../cloudevents/envelope.ts';
import type { MonotonicClock } from '../publish-window.ts';
import type { OutgoingMessage } from '../transport.ts';

/** Where messages are published, and as whom. */
export interface RabbitMqOptions {
  /** The destination's name in logs and metrics. Default `rabbitmq`. */
  readonly name?: string;
  /** `amqp://` or `amqps://` with host, port and, as the path, the virtual host. User and password go into `credentials`. */
  readonly url: string;
  /** The exchange, which has to be there. The empty string is the default exchange, where the routing key is the name of a queue. */
  readonly exchange: string;
  /** The routing key of a message. Default: its type. */
  readonly routingKey?: (message: OutgoingMessage) => string;
  /** How to sign in. Default: `guest`, which the server lets in from its own machine only. Never shown. */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** PEM certificates of the authorities to trust, for `amqps://`. */
  readonly ca?: string;
  /** Queues that `probe` looks at, so that a missing or a transient one is noticed before messages are lost in it. */
  readonly queues?: readonly string[];
  /** Sends the messages as CloudEvents. Default: the stored body with Waybill's headers. */
  readonly cloudEvents?: CloudEventsEnvelope;
  /** The most messages that may be without a confirm; further ones wait. Default 256. */
  readonly confirmWindow?: number;
  /** After two of these without a sign of the broker the connection counts as lost. Default 10. */
  readonly heartbeatSeconds?: number;
  /** TCP, TLS and sign-in together. Default 5,000. */
  readonly connectTimeoutMs?: number;
  /** The largest body sent. Default 1 MiB; the server's own limit is its `max_message_size`. */
  readonly maxBytes?: number;
  /** Clock of the deadline. Default `performance.now`. */
  readonly now?: MonotonicClock;
}
