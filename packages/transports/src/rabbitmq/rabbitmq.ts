import type { TransportOutcome } from '@waybill/contracts';
import { type BrokerPort, brokerTransport } from '../broker-transport.ts';
import { notSent } from '../publish-in-order.ts';
import type { OutgoingMessage, Transport } from '../transport.ts';
import { classifyConnectFailure, classifyUnsent, outcomeOf } from './classify-failure.ts';
import { inspectTopology } from './inspect-topology.ts';
import type { RabbitMqOptions } from './options.ts';
import { publicationOf } from './publication.ts';
import { connectSession, type RabbitSession } from './session.ts';
import { parseOptions, type RabbitMqSettings } from './settings.ts';
import { type Slots, slots } from './slots.ts';

/**
 * Publishes each message to an exchange and calls it accepted when the broker has confirmed it and at least one queue took it.
 *
 * @throws TransportError `TRN_OPTIONS_INVALID` naming every problem of the options.
 */
export function rabbitMq(options: RabbitMqOptions): Transport {
  const settings = parseOptions(options);
  return brokerTransport(
    {
      name: settings.name,
      capabilities: {
        dedup: 'none',
        dedupWindowMs: null,
        ordering: 'record-key',
        maxBatch: settings.confirmWindow,
        partialResults: true,
        maxBytes: settings.maxBytes,
      },
      now: settings.now,
    },
    rabbitPort(settings),
  );
}

function rabbitPort(settings: RabbitMqSettings): BrokerPort<RabbitSession> {
  const window = slots(settings.confirmWindow);
  return {
    connect: () => connectSession(settings),
    lost: ({ lost }) => lost,
    end: (session) => session.end(),
    // The broker tells it alone when it takes messages again.
    isSound: ({ blocked }) => blocked() !== null,
    connectFailure: classifyConnectFailure,
    async inspect({ connection, blocked }) {
      const reason = blocked();
      // A blocked connection is not read: it would not answer.
      return reason === null ? inspectTopology(connection, settings) : [`the broker takes no messages: ${reason}`];
    },
    async send(session, message, { signal }) {
      if (!(await window.take(signal))) return notSent('the broker had too many messages to confirm');
      return publishOne(session, message, { settings, window });
    },
  };
}

interface Publishing {
  readonly settings: RabbitMqSettings;
  readonly window: Slots;
}

async function publishOne(
  { channel, blocked }: RabbitSession,
  message: OutgoingMessage,
  { settings, window }: Publishing,
): Promise<TransportOutcome> {
  try {
    // A blocked connection is not read: what is written to it would arrive whenever it is read again.
    if (blocked() !== null) return { outcome: 'retry', class: 'connection-blocked' };
    return outcomeOf(await channel.publish(publicationOf(message, settings)));
  } catch (error) {
    return classifyUnsent(error);
  } finally {
    window.free();
  }
}
