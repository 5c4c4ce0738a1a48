import { type ConsumeMessage, connect } from 'amqplib';
import type { Consume } from '../billing/consumer.ts';

const EXCHANGE = 'shop';
const QUEUE = 'billing';

export const consume: Consume = async ({ billing, source, onReady }) => {
  const { hostname, port } = new URL(source.url);
  const connection = await connect({ hostname, port: Number(port), username: source.user, password: source.password });
  const channel = await connection.createChannel();
  await channel.assertExchange(EXCHANGE, 'topic');
  // A quorum queue is on the disks of a majority before the broker confirms; one consumer at a time keeps the order.
  await channel.assertQueue(QUEUE, { arguments: { 'x-queue-type': 'quorum', 'x-single-active-consumer': true } });
  await channel.bindQueue(QUEUE, EXCHANGE, 'shop.#');
  // The next message does not come before this one is acknowledged.
  await channel.prefetch(1);
  const failed = new Promise<never>((_, reject) => {
    channel.once('error', reject);
    connection.once('close', () => {
      reject(new Error('the connection was closed'));
    });
    const receive = async (message: ConsumeMessage): Promise<void> => {
      const { properties } = message;
      await billing.receive({
        id: String(properties.messageId),
        type: String(properties.type),
        version: Number(properties.headers?.['waybill-version']),
        body: message.content.toString(),
      });
      channel.ack(message);
    };
    const onMessage = (message: ConsumeMessage | null): void => {
      if (message) receive(message).catch(reject);
      else reject(new Error('the queue is gone'));
    };
    channel.consume(QUEUE, onMessage).then(() => {
      onReady(`queue ${QUEUE}`);
    }, reject);
  });
  await failed;
};
