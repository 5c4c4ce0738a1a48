import { once } from 'node:events';
import type { TransportOutcome } from '@waybill/contracts';
import { createClient, type RedisClientType } from 'redis';
import { type BrokerPort, brokerTransport } from '../broker-transport.ts';
import { isHostName } from '../host-name.ts';
import type { Transport } from '../transport.ts';
import { addCommand } from './add-command.ts';
import { classifyAddFailure, classifyConnectFailure } from './classify-failure.ts';
import { inspectServer } from './inspect-server.ts';
import type { RedisStreamsOptions } from './options.ts';
import { parseOptions, type RedisStreamsSettings } from './settings.ts';

/** A client that has been connected once, and when it was lost. */
interface RedisSession {
  readonly client: RedisClientType;
  readonly lost: Promise<unknown>;
}

/**
 * Adds each message to a Redis stream and calls it accepted when the server has answered, which is not yet durable: what the
 * answer is worth is up to the server's persistence, and `probe` warns where it is weak.
 *
 * @throws TransportError `TRN_OPTIONS_INVALID` naming every problem of the options.
 */
export function redisStreams(options: RedisStreamsOptions): Transport {
  const settings = parseOptions(options);
  const { dedupWindowMs } = settings;
  return brokerTransport(
    {
      name: settings.name,
      capabilities: {
        dedup: dedupWindowMs > 0 ? 'window' : 'none',
        dedupWindowMs: dedupWindowMs > 0 ? dedupWindowMs : null,
        ordering: 'record-key',
        maxBatch: 256,
        partialResults: true,
        maxBytes: settings.maxBytes,
      },
      now: settings.now,
    },
    redisPort(settings),
  );
}

function redisPort(settings: RedisStreamsSettings): BrokerPort<RedisSession> {
  return {
    connect: () => connectSession(settings),
    lost: ({ lost }) => lost,
    end: async ({ client }) => client.destroy(),
    connectFailure: classifyConnectFailure,
    inspect: async ({ client }) => inspectServer(await client.info(), settings),
    async send({ client }, message, { signal }) {
      try {
        // A command that still waits for the socket when the window ends is taken out of the client's queue.
        const reply = await client.sendCommand([...addCommand(message, settings)], { abortSignal: signal });
        return acceptedReply(reply);
      } catch (error) {
        return classifyAddFailure(error);
      }
    },
  };
}

function acceptedReply(reply: unknown): TransportOutcome {
  const [entry, repeated] = Array.isArray(reply) ? (reply as readonly unknown[]) : [reply, 0];
  return { outcome: 'accepted', receipt: String(entry), duplicate: repeated === 1 };
}

async function connectSession({ url, credentials, ca, connectTimeoutMs }: RedisStreamsSettings): Promise<RedisSession> {
  const client: RedisClientType = createClient({
    url,
    name: 'waybill',
    ...credentials,
    socket: {
      ...tlsOf(url, ca),
      connectTimeout: connectTimeoutMs,
      // The client would reconnect on its own and send what is left in its queue, when the lease may be lost.
      reconnectStrategy: false,
    },
    disableOfflineQueue: true,
  });
  // Without a listener an idle connection that breaks would end the process.
  const lost = once(client, 'error');
  lost.catch(() => undefined);
  try {
    await client.connect();
  } catch (error) {
    client.destroy();
    throw error;
  }
  return { client, lost };
}

/** The client names no server in the handshake on its own, and a proxy in front of several needs the name. */
function tlsOf(
  url: string,
  ca: string | undefined,
): { readonly tls?: true; readonly servername?: string; readonly ca?: string } {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'rediss:') return {};
  return { tls: true, ...(isHostName(hostname) ? { servername: hostname } : {}), ...(ca === undefined ? {} : { ca }) };
}
