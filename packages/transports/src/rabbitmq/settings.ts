import { type CloudEventsEnvelope, parseEnvelope } from '../cloudevents/envelope.ts';
import { checkOptions, type OptionCheck } from '../option-check.ts';
import type { MonotonicClock } from '../publish-window.ts';
import type { OutgoingMessage } from '../transport.ts';
import type { RabbitMqOptions } from './options.ts';

/** The options, checked and complete. */
export interface RabbitMqSettings {
  readonly name: string;
  readonly url: URL;
  readonly exchange: string;
  readonly routingKey: (message: OutgoingMessage) => string;
  readonly credentials: { readonly username: string; readonly password: string };
  readonly ca: string | undefined;
  readonly queues: readonly string[];
  readonly cloudEvents: CloudEventsEnvelope | undefined;
  readonly confirmWindow: number;
  readonly heartbeatSeconds: number;
  readonly connectTimeoutMs: number;
  readonly maxBytes: number;
  readonly now: MonotonicClock;
}

const KNOWN = [
  'name',
  'url',
  'exchange',
  'routingKey',
  'credentials',
  'ca',
  'queues',
  'cloudEvents',
  'confirmWindow',
  'heartbeatSeconds',
  'connectTimeoutMs',
  'maxBytes',
  'now',
] satisfies readonly (keyof RabbitMqOptions)[];

// The account that every new server has.
const GUEST = { username: 'guest', password: 'guest' };

// A name longer than this cannot be written in AMQP.
const LONGEST_NAME_BYTES = 255;

/** @throws TransportError `TRN_OPTIONS_INVALID` naming every problem. */
export function parseOptions(options: RabbitMqOptions): RabbitMqSettings {
  const check = checkOptions('rabbitmq', options, KNOWN);
  const { exchange, queues = [], confirmWindow, heartbeatSeconds, connectTimeoutMs, maxBytes } = options;
  check.expect(isName(exchange), 'exchange', 'the name of an exchange, or the empty string', exchange);
  const areNames = Array.isArray(queues) && queues.every((queue) => isName(queue) && queue !== '');
  check.expect(areNames, 'queues', 'a list of names of queues', queues);
  const settings = {
    name: check.name(options.name, 'rabbitmq'),
    url: parseUrl(options.url, check),
    exchange,
    routingKey: options.routingKey ?? (({ type }: OutgoingMessage) => type),
    credentials: options.credentials ?? GUEST,
    ca: options.ca,
    queues,
    cloudEvents: parseEnvelope(options.cloudEvents, check),
    confirmWindow: check.integer('confirmWindow', confirmWindow, { min: 1, max: 65_535, fallback: 256 }),
    heartbeatSeconds: check.integer('heartbeatSeconds', heartbeatSeconds, { min: 1, max: 600, fallback: 10 }),
    connectTimeoutMs: check.integer('connectTimeoutMs', connectTimeoutMs, { min: 1, max: 600_000, fallback: 5_000 }),
    maxBytes: check.integer('maxBytes', maxBytes, { min: 1, max: 512 * 2 ** 20, fallback: 2 ** 20 }),
    now: options.now ?? (() => performance.now()),
  };
  check.done();
  return settings;
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && Buffer.byteLength(name) <= LONGEST_NAME_BYTES;
}

const NOWHERE = new URL('amqp://invalid.invalid');

function parseUrl(text: string, check: OptionCheck): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isAmqp = url?.protocol === 'amqp:' || url?.protocol === 'amqps:';
  check.expect(isAmqp && url.hostname !== '', 'url', 'an amqp:// or amqps:// URL', url?.protocol ?? typeof text);
  const anonymous = !url || (url.username === '' && url.password === '');
  check.expect(anonymous, 'url', 'no user and password (use credentials)', 'both or one of them');
  return url ?? NOWHERE;
}
