import { type CloudEventsEnvelope, parseEnvelope } from '../cloudevents/envelope.ts';
import { checkOptions } from '../option-check.ts';
import type { MonotonicClock } from '../publish-window.ts';
import type { OutgoingMessage } from '../transport.ts';
import type { NatsCredentials, NatsJetStreamOptions } from './options.ts';

/** The options, checked and complete. */
export interface NatsJetStreamSettings {
  readonly name: string;
  readonly servers: readonly string[];
  readonly stream: string;
  readonly subject: (message: OutgoingMessage) => string;
  readonly credentials: NatsCredentials | undefined;
  readonly ca: string | undefined;
  readonly cloudEvents: CloudEventsEnvelope | undefined;
  readonly duplicateWindowMs: number;
  readonly connectTimeoutMs: number;
  readonly maxBytes: number;
  readonly now: MonotonicClock;
}

const KNOWN = [
  'name',
  'servers',
  'stream',
  'subject',
  'credentials',
  'ca',
  'cloudEvents',
  'duplicateWindowMs',
  'connectTimeoutMs',
  'maxBytes',
  'now',
] satisfies readonly (keyof NatsJetStreamOptions)[];

const DAY_MS = 24 * 60 * 60 * 1000;

/** @throws TransportError `TRN_OPTIONS_INVALID` naming every problem. */
export function parseOptions(options: NatsJetStreamOptions): NatsJetStreamSettings {
  const check = checkOptions('nats-jetstream', options, KNOWN);
  const { servers, stream, duplicateWindowMs, connectTimeoutMs, maxBytes } = options;
  check.expect(Array.isArray(servers) && servers.length > 0, 'servers', 'a list of at least one server', servers);
  check.expect(typeof stream === 'string' && /^[^\s.*>/\\]+$/.test(stream), 'stream', 'the name of a stream', stream);
  const settings = {
    name: check.name(options.name, 'nats-jetstream'),
    servers,
    stream,
    subject: options.subject ?? (({ type }: OutgoingMessage) => type),
    credentials: options.credentials,
    ca: options.ca,
    cloudEvents: parseEnvelope(options.cloudEvents, check),
    duplicateWindowMs: check.integer('duplicateWindowMs', duplicateWindowMs, {
      min: 0,
      max: 365 * DAY_MS,
      fallback: 120_000,
    }),
    connectTimeoutMs: check.integer('connectTimeoutMs', connectTimeoutMs, { min: 1, max: 600_000, fallback: 5_000 }),
    maxBytes: check.integer('maxBytes', maxBytes, { min: 1, max: 64 * 2 ** 20, fallback: 1_000_000 }),
    now: options.now ?? (() => performance.now()),
  };
  check.done();
  return settings;
}
