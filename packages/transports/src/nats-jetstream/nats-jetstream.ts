import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { type BrokerPort, brokerTransport } from '../broker-transport.ts';
import { errorCode } from '../error-code.ts';
import type { Transport } from '../transport.ts';
import { classifyConnectFailure, classifyPublishFailure } from './classify-failure.ts';
import { inspectStream } from './inspect-stream.ts';
import { type NatsMessage, natsMessage } from './nats-message.ts';
import type { NatsJetStreamOptions } from './options.ts';
import { type NatsJetStreamSettings, parseOptions } from './settings.ts';

/** One connection and the JetStream client on it. */
interface NatsSession {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
}

/**
 * Publishes each message to a subject of a JetStream stream and calls it accepted when the stream has acknowledged it.
 *
 * The message id goes out as `Nats-Msg-Id`: within the stream's duplicate window a repeat is accepted as `duplicate` and stored once.
 *
 * @throws TransportError `TRN_OPTIONS_INVALID` naming every problem of the options.
 */
export function natsJetStream(options: NatsJetStreamOptions): Transport {
  const settings = parseOptions(options);
  const { duplicateWindowMs } = settings;
  return brokerTransport(
    {
      name: settings.name,
      capabilities: {
        dedup: duplicateWindowMs > 0 ? 'window' : 'none',
        dedupWindowMs: duplicateWindowMs > 0 ? duplicateWindowMs : null,
        ordering: 'record-key',
        maxBatch: 256,
        partialResults: true,
        maxBytes: settings.maxBytes,
      },
      now: settings.now,
    },
    natsPort(settings),
  );
}

function natsPort(settings: NatsJetStreamSettings): BrokerPort<NatsSession> {
  const { stream, duplicateWindowMs, subject, cloudEvents } = settings;
  return {
    connect: () => connectSession(settings),
    lost: ({ connection }) => connection.closed(),
    end: ({ connection }) => connection.close(),
    connectFailure: classifyConnectFailure,
    inspect: ({ connection }) => inspectStream(connection, { stream, duplicateWindowMs }),
    async send({ connection, client }, message, { giveUpAfterMs }) {
      let publication: NatsMessage;
      try {
        publication = natsMessage(message, { subject, cloudEvents });
      } catch (error) {
        // A header that the client will not write, such as one with a line break. Nothing left, and nothing ever will.
        return { outcome: 'refused', class: 'not-encodable', detail: errorCode(error) };
      }
      const { headers, payload } = publication;
      try {
        const ack = await client.publish(publication.subject, payload, {
          msgID: message.id,
          headers,
          expect: { streamName: stream },
          timeout: giveUpAfterMs,
          retries: 1, // the first and only try
        });
        return { outcome: 'accepted', receipt: `${ack.stream}:${ack.seq}`, duplicate: ack.duplicate };
      } catch (error) {
        return classifyPublishFailure({ error, connection, subject: publication.subject });
      }
    },
  };
}

async function connectSession(settings: NatsJetStreamSettings): Promise<NatsSession> {
  const connection = await connect({
    servers: [...settings.servers],
    name: 'waybill',
    timeout: settings.connectTimeoutMs,
    // The client would keep what is published while it is offline and send it later, when the lease may be lost.
    reconnect: false,
    ...settings.credentials,
    ...(settings.tls ? { tls: { ...settings.tls } } : {}),
  });
  return { connection, client: jetstream(connection) };
}
