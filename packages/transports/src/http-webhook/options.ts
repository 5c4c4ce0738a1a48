import type { CloudEventsEnvelope } from '../cloudevents/index.ts';
import type { MonotonicClock } from '../publish-window.ts';
import type { ResolveHost } from './guarded-lookup.ts';

/** Where and how webhooks are sent. */
export interface HttpWebhookOptions {
  /** The destination's name in logs and metrics. Default `http-webhook`. */
  readonly name?: string;
  /** The receiver. Never shown anywhere, since a path or a query may hold a token. */
  readonly url: string;
  /** `whsec_` secrets, newest first. While two are given, both sign: add the new one here, then at the receiver, then drop the old one. */
  readonly secrets: readonly string[];
  /** Further headers of every request, such as `authorization`. Treated as secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers of the message that are passed on under their own name. Default `traceparent` and `tracestate`. */
  readonly passHeaders?: readonly string[];
  /** Sends each message as a CloudEvents 1.0 event. Default: the body alone. */
  readonly cloudEvents?: CloudEventsEnvelope;
  /** Lets requests go to any address and port: for development and tests. Default false. */
  readonly allowPrivateNetwork?: boolean;
  /** Networks that requests may go to besides public ones, such as `10.20.0.0/16`. Default none. */
  readonly allowedNetworks?: readonly string[];
  /** Lets the receiver's URL be plain `http`. Default: the value of `allowPrivateNetwork`. */
  readonly allowHttp?: boolean;
  /** Ports that the URL may have. Default 80, 443, 8080 and 8443; any with `allowPrivateNetwork`. */
  readonly allowedPorts?: readonly number[];
  /** Statuses that mean "not now" at this receiver, besides 408, 425, 429 and 5xx; 404 where it vanishes while it is deployed. */
  readonly retryStatuses?: readonly number[];
  /** Requests under way at once, each on a connection of its own. Default 16. */
  readonly concurrency?: number;
  /** Name lookup, TCP and TLS together. Default 5,000. */
  readonly connectTimeoutMs?: number;
  /** From the end of the request to the end of the answer's headers. Default 10,000. */
  readonly headersTimeoutMs?: number;
  /** The largest body sent. Default 1 MiB. */
  readonly maxBytes?: number;
  /** PEM certificates of the authorities to trust instead of Node's own list. */
  readonly ca?: string;
  /** Resolves host names. Default: the system's resolver. */
  readonly resolveHost?: ResolveHost;
  /** Clock of the deadline. Default `performance.now`. */
  readonly now?: MonotonicClock;
  /** Clock of the signature's timestamp, in milliseconds since 1970. Default `Date.now`. */
  readonly wallNow?: () => number;
}
