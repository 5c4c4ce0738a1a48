import { ProduceAcks, Producer } from '@platformatic/kafka';
import { kafka } from '@waybill/transports/kafka';
import { BATCH, type Broker } from './broker.ts';
import { KAFKA_TOPIC } from './start-broker.ts';

/** Against a broker of our own that keeps records in memory, so that what is compared is the work of the two clients. */
export const kafkaBroker: Broker = {
  prepare: () => Promise.resolve(),
  transport: ({ port, user, password }) =>
    kafka({
      brokers: [`127.0.0.1:${port}`],
      topic: KAFKA_TOPIC,
      credentials: { mechanism: 'PLAIN', username: user, password },
    }),
  openDirect({ port, user, password }) {
    const producer = new Producer<Buffer, Buffer, Buffer, Buffer>({
      clientId: 'bench',
      bootstrapBrokers: [`127.0.0.1:${port}`],
      sasl: { mechanism: 'PLAIN', username: user, password },
      idempotent: true,
      acks: ProduceAcks.ALL,
      retries: false,
    });
    return Promise.resolve({
      atOnce: BATCH,
      inBatches: true,
      async publish(messages) {
        await producer.send({
          messages: messages.map(({ key, body }) => ({ topic: KAFKA_TOPIC, key: Buffer.from(key), value: body })),
        });
      },
      close: () => producer.close(),
    });
  },
  held: () => Promise.resolve(null),
};
