import { type CloudEventsEnvelope, parseEnvelope } from '../cloudevents/envelope.ts';
import { checkOptions, type OptionCheck } from '../option-check.ts';
import type { MonotonicClock } from '../publish-window.ts';
import type { RedisStreamsOptions, RedisTrim } from './options.ts';

/** The options, checked and complete. */
export interface RedisStreamsSettings {
  readonly name: string;
  readonly url: string;
  readonly stream: string;
  readonly trim: RedisTrim;
  readonly credentials: RedisStreamsOptions['credentials'];
  readonly ca: string | undefined;
  readonly cloudEvents: CloudEventsEnvelope | undefined;
  readonly dedupWindowMs: number;
  readonly connectTimeoutMs: number;
  readonly maxBytes: number;
  readonly now: MonotonicClock;
}

const KNOWN = [
  'name',
  'url',
  'stream',
  'trim',
  'credentials',
  'ca',
  'cloudEvents',
  'dedupWindowMs',
  'connectTimeoutMs',
  'maxBytes',
  'now',
] satisfies readonly (keyof RedisStreamsOptions)[];

const DAY_MS = 24 * 60 * 60 * 1000;

/** @throws TransportError `TRN_OPTIONS_INVALID` naming every problem. */
export function parseOptions(options: RedisStreamsOptions): RedisStreamsSettings {
  const check = checkOptions('redis-streams', options, KNOWN);
  const { stream, dedupWindowMs, connectTimeoutMs, maxBytes } = options;
  check.expect(typeof stream === 'string' && stream !== '', 'stream', 'a text that is not empty', stream);
  const mode: string = options.cloudEvents?.mode ?? 'structured';
  check.expect(mode === 'structured', 'cloudEvents.mode', 'structured, the only one over Redis', mode);
  const settings = {
    name: check.name(options.name, 'redis-streams'),
    url: parseUrl(options.url, check),
    stream,
    trim: parseTrim(options.trim, check),
    credentials: options.credentials,
    ca: options.ca,
    cloudEvents: parseEnvelope(options.cloudEvents, check),
    dedupWindowMs: check.integer('dedupWindowMs', dedupWindowMs, { min: 0, max: 30 * DAY_MS, fallback: 0 }),
    connectTimeoutMs: check.integer('connectTimeoutMs', connectTimeoutMs, { min: 1, max: 600_000, fallback: 5_000 }),
    maxBytes: check.integer('maxBytes', maxBytes, { min: 1, max: 256 * 2 ** 20, fallback: 2 ** 20 }),
    now: options.now ?? (() => performance.now()),
  };
  check.done();
  return settings;
}

function parseUrl(text: string, check: OptionCheck): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isRedis = url?.protocol === 'redis:' || url?.protocol === 'rediss:';
  check.expect(isRedis, 'url', 'a redis:// or rediss:// URL', url?.protocol ?? typeof text);
  const anonymous = !url || (url.username === '' && url.password === '');
  check.expect(anonymous, 'url', 'no user and password (use credentials)', 'both or one of them');
  return text;
}

function parseTrim(trim: RedisTrim | undefined, check: OptionCheck): RedisTrim {
  const length = typeof trim === 'object' ? trim.maxLength : Number.NaN;
  const holds = trim === 'never' || (Number.isSafeInteger(length) && length > 0);
  check.expect(holds, 'trim', "'never' or { maxLength: a positive integer }", trim);
  return trim ?? 'never';
}
