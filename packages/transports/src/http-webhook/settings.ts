import { lookup } from 'node:dns/promises';
import { type CloudEventsEnvelope, parseEnvelope } from '../cloudevents/envelope.ts';
import { checkOptions, type OptionCheck } from '../option-check.ts';
import type { MonotonicClock } from '../publish-window.ts';
import type { AddressGuard } from './address-guard.ts';
import { parseGuard, parseUrl } from './destination.ts';
import type { ResolveHost } from './guarded-lookup.ts';
import type { HttpWebhookOptions } from './options.ts';
import { isFreeHeader, isHeaderValue } from './request-headers.ts';
import { parseSecret, SECRET_FORM } from './signature.ts';

/** The options, checked and complete. */
export interface HttpWebhookSettings {
  readonly name: string;
  readonly url: URL;
  readonly keys: readonly Buffer[];
  readonly headers: Readonly<Record<string, string>>;
  readonly passHeaders: readonly string[];
  readonly cloudEvents: CloudEventsEnvelope | undefined;
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
  'name',
  'url',
  'secrets',
  'headers',
  'passHeaders',
  'cloudEvents',
  'allowPrivateNetwork',
  'allowedNetworks',
  'allowHttp',
  'allowedPorts',
  'retryStatuses',
  'concurrency',
  'connectTimeoutMs',
  'headersTimeoutMs',
  'maxBytes',
  'ca',
  'resolveHost',
  'now',
  'wallNow',
] satisfies readonly (keyof HttpWebhookOptions)[];

const TIMEOUT_MS = { min: 1, max: 600_000 };

/** @throws TransportError `TRN_OPTIONS_INVALID` naming every problem. */
export function parseOptions(options: HttpWebhookOptions): HttpWebhookSettings {
  const check = checkOptions('http-webhook', options, KNOWN);
  const { connectTimeoutMs, headersTimeoutMs, concurrency, maxBytes } = options;
  const guard = parseGuard(options, check);
  const settings = {
    name: check.name(options.name, 'http-webhook'),
    url: parseUrl(options, guard, check),
    keys: parseSecrets(options.secrets, check),
    headers: parseHeaders(options.headers ?? {}, check),
    passHeaders: parsePassHeaders(options.passHeaders ?? ['traceparent', 'tracestate'], check),
    cloudEvents: parseEnvelope(options.cloudEvents, check),
    guard,
    retryStatuses: parseRetryStatuses(options.retryStatuses ?? [], check),
    concurrency: check.integer('concurrency', concurrency, { min: 1, max: 1024, fallback: 16 }),
    connectTimeoutMs: check.integer('connectTimeoutMs', connectTimeoutMs, { ...TIMEOUT_MS, fallback: 5_000 }),
    headersTimeoutMs: check.integer('headersTimeoutMs', headersTimeoutMs, { ...TIMEOUT_MS, fallback: 10_000 }),
    maxBytes: check.integer('maxBytes', maxBytes, { min: 1, max: 2 ** 30, fallback: 2 ** 20 }),
    ca: options.ca,
    resolveHost: options.resolveHost ?? ((hostname) => lookup(hostname, { all: true })),
    now: options.now ?? (() => performance.now()),
    wallNow: options.wallNow ?? Date.now,
  };
  check.done();
  return settings;
}

function parseSecrets(secrets: unknown, check: OptionCheck): readonly Buffer[] {
  const given: readonly unknown[] = Array.isArray(secrets) ? secrets : [];
  const got = Array.isArray(secrets) ? 'an empty list' : typeof secrets;
  check.expect(given.length > 0, 'secrets', 'a list of at least one secret', got);
  return given.flatMap((secret, index) => {
    const key = parseSecret(secret);
    check.expect(key !== null, `secrets[${index}]`, SECRET_FORM, 'something else (not shown)');
    return key ?? [];
  });
}

const HEADER_NAMES = 'names of headers that the transport does not set itself';

function parseHeaders(headers: Readonly<Record<string, string>>, check: OptionCheck): Readonly<Record<string, string>> {
  for (const [header, value] of Object.entries(headers)) {
    check.expect(isFreeHeader(header), 'headers', HEADER_NAMES, header);
    check.expect(isHeaderValue(value), `headers.${header}`, 'printable ASCII', 'something else (not shown)');
  }
  return { ...headers };
}

function parsePassHeaders(headers: readonly string[], check: OptionCheck): readonly string[] {
  for (const header of headers) check.expect(isFreeHeader(header), 'passHeaders', HEADER_NAMES, header);
  return headers.map((header) => header.toLowerCase());
}

function parseRetryStatuses(statuses: readonly number[], check: OptionCheck): ReadonlySet<number> {
  for (const status of statuses) {
    const holds = Number.isInteger(status) && status >= 400 && status <= 499;
    check.expect(holds, 'retryStatuses', 'statuses from 400 to 499', status);
  }
  return new Set(statuses);
}
