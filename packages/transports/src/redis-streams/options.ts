import type { CloudEventsEnvelope } from '../cloudevents/envelope.ts';
import type { MonotonicClock } from '../publish-window.ts';

/** Where messages are added, and what the stream may forget. */
export interface RedisStreamsOptions {
  /** The destination's name in logs and metrics. Default `redis-streams`. */
  readonly name?: string;
  /** `redis://` or `rediss://` with host, port and database. User and password go into `credentials`. */
  readonly url: string;
  /** The key of the stream. */
  readonly stream: string;
  /** What the stream drops when it grows. There is no default: a trimmed stream loses what nobody has read yet. */
  readonly trim: RedisTrim;
  /** How to sign in. Default: not at all. Never shown. */
  readonly credentials?: { readonly username?: string; readonly password: string };
  /** PEM certificates of the authorities to trust instead of Node's own list, for `rediss://`. */
  readonly ca?: string;
  /** Makes the field `body` a CloudEvents event. There is no binding for Redis, so structured mode is the only one. Default: the stored body. */
  readonly cloudEvents?: CloudEventsEnvelope & { readonly mode: 'structured' };
  /** For how long a repeated id is not added again; each id takes a key of its own for that long. Default 0: every repeat is added. */
  readonly dedupWindowMs?: number;
  /** TCP and TLS together. Default 5,000. */
  readonly connectTimeoutMs?: number;
  /** The largest body sent. Default 1 MiB. */
  readonly maxBytes?: number;
  /** Clock of the deadline. Default `performance.now`. */
  readonly now?: MonotonicClock;
}

/** Whether the stream keeps everything, or about so many entries. */
export type RedisTrim = 'never' | { readonly maxLength: number };
