import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { Consume } from '../billing/consumer.ts';
import { OrderPlaced } from '../contracts.ts';

const STREAM = 'SHOP';
const DURABLE = 'billing';
// How long a message may take; after a crash it comes again when this is over.
const ACK_WAIT_MS = 5_000;
const NANOSECONDS_PER_MS = 1_000_000;

export const consume: Consume = async ({ billing, source, onReady }) => {
  const connection = await connect({ servers: source.url, user: source.user, pass: source.password });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({
    name: STREAM,
    subjects: [OrderPlaced.type],
    duplicate_window: 120_000 * NANOSECONDS_PER_MS,
  });
  // One message at a time, so that order survives a crash: the next one is not on its way before this one is acknowledged.
  await manager.consumers.add(STREAM, {
    durable_name: DURABLE,
    ack_policy: AckPolicy.Explicit,
    max_ack_pending: 1,
    ack_wait: ACK_WAIT_MS * NANOSECONDS_PER_MS,
  });
  const consumer = await jetstream(connection).consumers.get(STREAM, DURABLE);
  const messages = await consumer.consume();
  onReady(`stream ${STREAM}`);
  for await (const message of messages) {
    const header = (name: string): string => message.headers?.get(name) ?? '';
    await billing.receive({
      id: header('Nats-Msg-Id'),
      type: header('waybill-type'),
      version: Number(header('waybill-version')),
      body: message.string(),
    });
    message.ack();
  }
};
