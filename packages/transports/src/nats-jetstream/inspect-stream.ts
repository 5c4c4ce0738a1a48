import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';

/** What the stream was said to be. */
export interface ExpectedStream {
  readonly stream: string;
  readonly duplicateWindowMs: number;
}

const NANOSECONDS_PER_MS = 1_000_000;

/** Settings of the stream that weaken what its acknowledgement is worth. */
export async function inspectStream(
  connection: NatsConnection,
  { stream, duplicateWindowMs }: ExpectedStream,
): Promise<readonly string[]> {
  const manager = await jetstreamManager(connection);
  const { config } = await manager.streams.info(stream);
  const windowMs = config.duplicate_window / NANOSECONDS_PER_MS;
  const limited = config.max_msgs > 0 || config.max_bytes > 0;
  const warnings: readonly (readonly [holds: boolean, warning: string])[] = [
    [
      windowMs < duplicateWindowMs,
      `duplicate_window is ${windowMs} ms, duplicateWindowMs is ${duplicateWindowMs}: later repeats are stored twice`,
    ],
    [config.storage === 'memory', 'the stream is kept in memory: a restart of its servers loses it'],
    [limited && config.discard === 'old', 'discard is old: a full stream drops messages that nobody has read'],
  ];
  return warnings.filter(([holds]) => holds).map(([, warning]) => warning);
}
