import { type CloudEventsEnvelope, parseEnvelope } from '../cloudevents/envelope.ts';
import { checkOptions, type OptionCheck } from '../option-check.ts';
import type { MonotonicClock } from '../publish-window.ts';
import { KAFKA_MECHANISMS, type KafkaOptions } from './options.ts';

/** The options, checked and complete. */
export interface KafkaSettings {
  readonly name: string;
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly credentials: KafkaOptions['credentials'];
  readonly tls: KafkaOptions['tls'];
  readonly cloudEvents: CloudEventsEnvelope | undefined;
  readonly maxBatch: number;
  readonly connectTimeoutMs: number;
  readonly maxBytes: number;
  readonly now: MonotonicClock;
}

const KNOWN = [
  'name',
  'brokers',
  'topic',
  'credentials',
  'tls',
  'cloudEvents',
  'maxBatch',
  'connectTimeoutMs',
  'maxBytes',
  'now',
] satisfies readonly (keyof KafkaOptions)[];

// The names that Kafka allows.
const TOPIC = /^[a-zA-Z0-9._-]{1,249}$/;

/** @throws TransportError `TRN_OPTIONS_INVALID` naming every problem. */
export function parseOptions(options: KafkaOptions): KafkaSettings {
  const check = checkOptions('kafka', options, KNOWN);
  const { brokers, topic, maxBatch, connectTimeoutMs, maxBytes } = options;
  const areBrokers = Array.isArray(brokers) && brokers.length > 0 && brokers.every(isBroker);
  check.expect(areBrokers, 'brokers', 'a list of at least one host:port', brokers);
  check.expect(typeof topic === 'string' && TOPIC.test(topic), 'topic', 'the name of a topic', topic);
  checkSignIn(options, check);
  const settings = {
    name: check.name(options.name, 'kafka'),
    brokers,
    topic,
    credentials: options.credentials,
    tls: options.tls,
    cloudEvents: parseEnvelope(options.cloudEvents, check),
    maxBatch: check.integer('maxBatch', maxBatch, { min: 1, max: 10_000, fallback: 500 }),
    connectTimeoutMs: check.integer('connectTimeoutMs', connectTimeoutMs, { min: 1, max: 600_000, fallback: 5_000 }),
    maxBytes: check.integer('maxBytes', maxBytes, { min: 1, max: 64 * 2 ** 20, fallback: 900_000 }),
    now: options.now ?? (() => performance.now()),
  };
  check.done();
  return settings;
}

/** Notes what is wrong with user and TLS, and shows neither the password nor a certificate. */
function checkSignIn({ credentials, tls }: KafkaOptions, check: OptionCheck): void {
  if (credentials !== undefined) {
    const { mechanism, username, password } = credentials;
    const isKnown = KAFKA_MECHANISMS.some((known) => known === mechanism);
    check.expect(isKnown, 'credentials.mechanism', `one of ${KAFKA_MECHANISMS.join(', ')}`, mechanism);
    check.expect(isText(username), 'credentials.username', 'a text that is not empty', typeof username);
    check.expect(isText(password), 'credentials.password', 'a text that is not empty', typeof password);
  }
  const ca = tls?.ca;
  const isPem = ca === undefined || (isText(ca) && ca.includes('-----BEGIN CERTIFICATE-----'));
  check.expect(isPem, 'tls.ca', 'certificates in PEM', typeof ca);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isBroker(broker: unknown): boolean {
  return typeof broker === 'string' && /^[^\s/:]+:\d{1,5}$/.test(broker);
}
