import { type BatchPort, batchTransport } from '../batch-transport.ts';
import type { Transport } from '../transport.ts';
import { classifyConnectFailure } from './classify-failure.ts';
import type { KafkaOptions } from './options.ts';
import { produce } from './produce.ts';
import { recordOf } from './record.ts';
import { connectSession, type KafkaSession } from './session.ts';
import { type KafkaSettings, parseOptions } from './settings.ts';

/**
 * Produces messages to a topic, keyed by their record keys, and calls them accepted when all in-sync replicas have them.
 *
 * @throws TransportError `TRN_OPTIONS_INVALID` naming every problem of the options.
 */
export function kafka(options: KafkaOptions): Transport {
  const settings = parseOptions(options);
  return batchTransport(
    {
      name: settings.name,
      capabilities: {
        dedup: 'none',
        dedupWindowMs: null,
        ordering: 'record-key',
        maxBatch: settings.maxBatch,
        partialResults: true,
        maxBytes: settings.maxBytes,
      },
      now: settings.now,
    },
    kafkaPort(settings),
  );
}

function kafkaPort(settings: KafkaSettings): BatchPort<KafkaSession> {
  return {
    connect: () => connectSession(settings),
    lost: ({ lost }) => lost,
    async end({ producer }) {
      await producer.close();
    },
    connectFailure: classifyConnectFailure,
    inspect: async ({ replicas }) => inspectReplicas(replicas),
    sendUnit: (session, messages) =>
      produce(
        session,
        messages.map((message) => recordOf(message, settings, session.partitions)),
      ),
  };
}

function inspectReplicas(replicas: number): readonly string[] {
  return replicas > 1 ? [] : ['a partition has one replica: the loss of its broker loses accepted messages'];
}
