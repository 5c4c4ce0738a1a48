import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { checkOptions, type OptionCheck } from '../option-check.ts';
import type { MonotonicClock } from '../publish-window.ts';
import { type AddressGuard, guardAddresses, type Network, parseNetwork } from './address-guard.ts';
import type { ResolveHost } from './guarded-lookup.ts';
import { headerProblem } from './request-headers.ts';
import { parseSecret, SECRET_FORM } from './signature.ts';

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

/** The options, checked and complete. */
export interface HttpWebhookSettings {
  readonly name: string;
  readonly url: URL;
  readonly keys: readonly Buffer[];
  readonly headers: Readonly<Record<string, string>>;
  readonly passHeaders: readonly string[];
  readonly guard: AddressGuard;
  readonly retryStatuses: ReadonlySet<number>;
  readonly concurrency: number;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly maxBytes: number;
  readonly ca: string | undefined;
  readonly resolveHost: ResolveHost;
  readonly now: MonotonicClock;
  readonly wallNow: () => number;
}

const KNOWN = [
  'name', 'url', 'secrets', 'headers', 'passHeaders', 'allowPrivateNetwork', 'allowedNetworks', 'allowHttp', 'allowedPorts',
  'retryStatuses', 'concurrency', 'connectTimeoutMs', 'headersTimeoutMs', 'maxBytes', 'ca', 'resolveHost', 'now', 'wallNow',
] satisfies readonly (keyof HttpWebhookOptions)[];

const WEB_PORTS: readonly number[] = [80, 443, 8080, 8443];

/** @throws TransportError `TRN_OPTIONS_INVALID` naming every problem. */
export function parseOptions(options: HttpWebhookOptions): HttpWebhookSettings {
  const check = checkOptions('http-webhook', options, KNOWN);
  const name = options.name ?? 'http-webhook';
  check.expect(typeof name === 'string' && name !== '', 'name', 'a text that is not empty', name);
  const guard = parseGuard(options, check);
  const settings = {
    name,
    url: parseUrl(options, guard, check),
    keys: parseSecrets(options.secrets, check),
    headers: parseHeaders(options.headers ?? {}, check),
    passHeaders: (options.passHeaders ?? ['traceparent', 'tracestate']).map((header) => header.toLowerCase()),
    guard,
    retryStatuses: new Set(options.retryStatuses),
    concurrency: check.integer('concurrency', options.concurrency, { min: 1, max: 1024, fallback: 16 }),
    connectTimeoutMs: check.integer('connectTimeoutMs', options.connectTimeoutMs, { min: 1, max: 600_000, fallback: 5_000 }),
    headersTimeoutMs: check.integer('headersTimeoutMs', options.headersTimeoutMs, { min: 1, max: 600_000, fallback: 10_000 }),
    maxBytes: check.integer('maxBytes', options.maxBytes, { min: 1, max: 2 ** 30, fallback: 2 ** 20 }),
    ca: options.ca,
    resolveHost: options.resolveHost ?? ((hostname) => lookup(hostname, { all: true })),
    now: options.now ?? (() => performance.now()),
    wallNow: options.wallNow ?? Date.now,
  };
  for (const header of settings.passHeaders) check.expect(headerProblem(header) === null, 'passHeaders', 'names of headers that are not the transport’s own', header);
  for (const status of settings.retryStatuses) {
    check.expect(Number.isInteger(status) && status >= 400 && status <= 499, 'retryStatuses', 'statuses from 400 to 499', status);
  }
  check.done();
  return settings;
}

function parseGuard({ allowPrivateNetwork, allowedNetworks = [] }: HttpWebhookOptions, check: OptionCheck): AddressGuard {
  const networks: Network[] = [];
  for (const text of allowedNetworks) {
    const network = parseNetwork(text);
    if (network) networks.push(network);
    else check.expect(false, 'allowedNetworks', 'networks such as 10.20.0.0/16', text);
  }
  return allowPrivateNetwork === true ? { allows: () => true } : guardAddresses(networks);
}

function parseUrl(options: HttpWebhookOptions, guard: AddressGuard, check: OptionCheck): URL {
  const { allowPrivateNetwork = false, allowHttp = allowPrivateNetwork, allowedPorts = allowPrivateNetwork ? null : WEB_PORTS } = options;
  if (!URL.canParse(options.url)) {
    check.expect(false, 'url', 'an absolute URL', typeof options.url);
    return new URL('https://invalid');
  }
  const url = new URL(options.url);
  const protocols = allowHttp ? ['https:', 'http:'] : ['https:'];
  check.expect(protocols.includes(url.protocol), 'url', `${protocols.join(' or ')} (allowHttp is ${allowHttp})`, url.protocol);
  check.expect(url.username === '' && url.password === '', 'url', 'no user and password (use headers)', 'both or one of them');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  check.expect(allowedPorts?.includes(port) ?? true, 'url', `one of the ports ${allowedPorts?.join(', ')} (allowedPorts)`, port);
  // URL has turned every notation of an IPv4 address (decimal, octal, hexadecimal, shortened) into the dotted one. Names are checked when they are resolved.
  const host = hostnameOf(url);
  const permitted = isIP(host) === 0 || guard.allows(host);
  check.expect(permitted, 'url', 'a public address, or one in allowedNetworks', host);
  return url;
}

/** The host as sockets want it: an IPv6 address without its brackets. */
export function hostnameOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

function parseSecrets(secrets: readonly string[], check: OptionCheck): readonly Buffer[] {
  const given: readonly unknown[] = Array.isArray(secrets) ? secrets : [];
  check.expect(given.length > 0, 'secrets', 'a list of at least one secret', Array.isArray(secrets) ? 'an empty list' : typeof secrets);
  return given.flatMap((secret, index) => {
    const key = parseSecret(secret);
    check.expect(key !== null, `secrets[${index}]`, SECRET_FORM, 'something else (not shown)');
    return key ?? [];
  });
}

function parseHeaders(headers: Readonly<Record<string, string>>, check: OptionCheck): Readonly<Record<string, string>> {
  for (const [header, value] of Object.entries(headers)) {
    const problem = headerProblem(header);
    check.expect(problem === null, 'headers', 'names of headers that are not the transport’s own', header);
    check.expect(typeof value === 'string' && /^[\t\x20-\x7e]*$/.test(value), `headers.${header}`, 'printable ASCII', 'something else (not shown)');
  }
  return { ...headers };
}
