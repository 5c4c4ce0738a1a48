import type { EventEmitter } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { type ChannelModel, type ConfirmChannel, connect, type SocketOptions } from 'amqplib';
import { type ConfirmingChannel, confirmingChannel } from './confirming-channel.ts';
import type { RabbitMqSettings } from './settings.ts';

/** One connection with one channel on it that confirms what it takes. */
export interface RabbitSession {
  readonly connection: ChannelModel;
  readonly channel: ConfirmingChannel;
  /** Why the broker takes no messages at the moment, such as a disk that is full; null when it does. */
  readonly blocked: () => string | null;
  /** Settles when the channel is gone, which it is with its connection at the latest. Neither comes back. */
  readonly lost: Promise<unknown>;
  end(): Promise<void>;
}

/** Connects, signs in, and makes sure of the exchange, since a publish to a missing one would take its channel down. */
export async function connectSession(settings: RabbitMqSettings): Promise<RabbitSession> {
  const life = new AbortController();
  const cut = (): void => life.abort();
  const timer = setTimeout(cut, settings.connectTimeoutMs);
  try {
    const connection = await connect(...addressOf(settings, life.signal));
    // Without a listener an error of an idle connection would end the process; what it means is known from `close`.
    connection.on('error', ignore);
    const open = await openChannel(connection, settings).catch((error: unknown) => {
      cut();
      throw error;
    });
    return sessionOf(connection, open, cut);
  } finally {
    clearTimeout(timer);
  }
}

function sessionOf(connection: ChannelModel, channel: ConfirmChannel, cut: () => void): RabbitSession {
  let blocked: string | null = null;
  connection.on('blocked', (reason) => {
    blocked = reason;
  });
  connection.on('unblocked', () => {
    blocked = null;
  });
  const confirming = confirmingChannel(channel);
  let isOpen = true;
  connection.on('close', () => {
    isOpen = false;
  });
  const end = async (): Promise<void> => {
    // Where somebody gave up waiting, what was written and not sent yet must not leave any more.
    if (confirming.unconfirmed() === 0 && isOpen) await sayGoodbye(connection, cut);
    // A broker that is slow to close its side would keep the process from ending.
    cut();
  };
  // The server closes a channel for a fault of a publish; the connection would stay behind.
  const lost = closeOf(channel);
  void lost.then(end);
  return { connection, channel: confirming, blocked: () => blocked, lost, end };
}

// A broker on a local network answers within milliseconds; one that does not is not waited for.
const GOODBYE_MS = 250;

async function sayGoodbye(connection: ChannelModel, cut: () => void): Promise<void> {
  const timer = setTimeout(cut, GOODBYE_MS);
  const closed = closeOf(connection);
  // Rejects when the connection goes down meanwhile, which is what is wanted.
  connection.close().catch(ignore);
  await closed;
  clearTimeout(timer);
}

async function openChannel(connection: ChannelModel, { exchange }: RabbitMqSettings): Promise<ConfirmChannel> {
  const channel = await connection.createConfirmChannel();
  channel.on('error', ignore);
  if (exchange !== '') await channel.checkExchange(exchange);
  return channel;
}

function addressOf(settings: RabbitMqSettings, life: AbortSignal): Parameters<typeof connect> {
  const { url, credentials, ca, heartbeatSeconds } = settings;
  const secure = url.protocol === 'amqps:';
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1'); // an IPv6 address
  const port = Number(url.port) || (secure ? 5671 : 5672);
  const socket = { noDelay: true, keepAlive: true, clientProperties: { connection_name: 'waybill' } };
  // A socket of our own makes for a TLS connection that can be cut as well.
  const tls = {
    ...socket,
    socket: connectTcp({ host: hostname, port, signal: life }),
    ...(ca === undefined ? {} : { ca }),
  };
  const tcp: SocketOptions & { readonly signal: AbortSignal } = { ...socket, signal: life };
  return [
    {
      protocol: url.protocol.slice(0, -1),
      hostname,
      port,
      ...credentials,
      vhost: url.pathname.slice(1),
      heartbeat: heartbeatSeconds,
    },
    secure ? tls : tcp,
  ];
}

/** Not `once` of node:events, which rejects at the error that comes before. */
function closeOf(emitter: EventEmitter): Promise<unknown> {
  return new Promise((resolve) => {
    emitter.once('close', resolve);
  });
}

function ignore(): void {}
