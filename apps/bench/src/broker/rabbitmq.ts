import { rabbitMq } from '@waybill/transports/rabbitmq';
import { type ChannelModel, connect } from 'amqplib';
import { type Broker, type BrokerAddress, IN_FLIGHT } from './broker.ts';

const QUEUE = 'bench';

function open({ port, user, password }: BrokerAddress): Promise<ChannelModel> {
  return connect({ port, username: user, password });
}

/** A durable classic queue, behind the default exchange. */
export const rabbitMqBroker: Broker = {
  async prepare(address) {
    const connection = await open(address);
    const channel = await connection.createChannel();
    await channel.assertQueue(QUEUE, { durable: true });
    await channel.purgeQueue(QUEUE);
    await connection.close();
  },
  transport: ({ port, user, password }) =>
    rabbitMq({
      url: `amqp://127.0.0.1:${port}`,
      exchange: '',
      routingKey: () => QUEUE,
      credentials: { username: user, password },
    }),
  async openDirect(address) {
    const connection = await open(address);
    const channel = await connection.createConfirmChannel();
    const publishOne = (id: string, body: Buffer): Promise<void> =>
      new Promise((resolve, reject) => {
        channel.publish('', QUEUE, body, { messageId: id, persistent: true, mandatory: true }, (error) => {
          if (error) reject(error instanceof Error ? error : new Error(String(error)));
          else resolve();
        });
      });
    return {
      atOnce: IN_FLIGHT,
      inBatches: false,
      async publish(messages) {
        await Promise.all(messages.map(({ id, body }) => publishOne(id, body)));
      },
      close: () => connection.close(),
    };
  },
  async held(address) {
    const connection = await open(address);
    const { messageCount } = await (await connection.createChannel()).checkQueue(QUEUE);
    await connection.close();
    return messageCount;
  },
};
