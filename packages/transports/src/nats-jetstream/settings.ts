import { type CloudEventsEnvelope, parseEnvelope } from '../cloudevents/envelope.ts';
import { isHostName } from '../host-name.ts';
import { checkOptions, type OptionCheck } from '../option-check.ts';
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
  /** Undefined: without TLS. */
  readonly tls: { readonly ca?: string } | undefined;
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
  const { stream, duplicateWindowMs, connectTimeoutMs, maxBytes } = options;
  const servers = parseServers(options.servers, check);
  const isSecure = options.ca !== undefined || servers.some(({ scheme }) => scheme === 'tls');
  if (isSecure) checkSecure(servers, check);
  check.expect(typeof stream === 'string' && /^[^\s.*>/\\]+$/.test(stream), 'stream', 'the name of a stream', stream);
  const settings = {
    name: check.name(options.name, 'nats-jetstream'),
    servers: servers.map(({ address }) => address),
    stream,
    subject: options.subject ?? (({ type }: OutgoingMessage) => type),
    credentials: options.credentials,
    tls: isSecure ? (options.ca === undefined ? {} : { ca: options.ca }) : undefined,
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

interface Server {
  readonly scheme: string | undefined;
  /** As the client wants it: `host:port`. */
  readonly address: string;
}

const SERVER = /^(?:(nats|tls):\/\/)?([^\s/@]+)$/;

function parseServers(servers: unknown, check: OptionCheck): readonly Server[] {
  const given: readonly unknown[] = Array.isArray(servers) ? servers : [];
  check.expect(given.length > 0, 'servers', 'a list of at least one server', servers);
  return given.flatMap((text) => {
    const [, scheme, address] = (typeof text === 'string' && SERVER.exec(text)) || [];
    // What cannot be read may hold a password.
    check.expect(address !== undefined, 'servers', 'host:port or tls://host:port (use credentials)', typeof text);
    return address === undefined ? [] : { scheme, address };
  });
}

/**
 * The client takes no notice of `tls://`, and compares the certificate of a server that it knows by an address with the name `localhost`.
 */
function checkSecure(servers: readonly Server[], check: OptionCheck): void {
  for (const { scheme, address } of servers) {
    check.expect(
      scheme !== 'nats',
      'servers',
      'tls://host:port, as others are or because ca is set',
      `nats://${address}`,
    );
    const host = URL.canParse(`tls://${address}`) ? new URL(`tls://${address}`).hostname : address;
    check.expect(isHostName(host), 'servers', 'a host name, since a certificate is for a name', address);
  }
}
