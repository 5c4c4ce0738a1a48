import { startKafkaBroker } from '@waybill/local-servers';
import { testMessage } from '@waybill/testkit';
import { expect, test } from 'vitest';
import { PASSWORD, tlsCases } from '../../test/tls-cases.ts';
import { kafka } from './kafka.ts';
import { KAFKA_MECHANISMS } from './options.ts';

const TOPIC = 'orders';
const USER = { username: 'waybill', password: PASSWORD };

tlsCases({
  name: 'kafka',
  open: ({ host, port, ca, password }) =>
    kafka({
      brokers: [`${host}:${port}`],
      topic: TOPIC,
      credentials: { mechanism: 'SCRAM-SHA-512', ...USER, password },
      tls: ca === undefined ? {} : { ca },
    }),
  async start(authority) {
    const certificate = await authority.issue('localhost');
    const broker = await startKafkaBroker({ topic: TOPIC, partitions: 1, credentials: USER, certificate });
    return {
      port: broker.port,
      held: async () => broker.records().map(({ headers }) => headers['waybill-id'] ?? ''),
      stop: () => broker.stop(),
    };
  },
});

test.each(KAFKA_MECHANISMS)('T01: %s lets the right password in, and no other', async (mechanism) => {
  const broker = await startKafkaBroker({ topic: TOPIC, partitions: 1, credentials: USER });
  const publish = async (given: Partial<typeof USER>) => {
    const credentials = { mechanism, ...USER, ...given };
    const transport = kafka({ brokers: [`127.0.0.1:${broker.port}`], topic: TOPIC, credentials });
    const context = { signal: new AbortController().signal, deadline: performance.now() + 60_000 };
    const outcomes = await transport.publish([testMessage()], context);
    await transport.close();
    return outcomes;
  };
  expect(await publish({})).toMatchObject([{ outcome: 'accepted' }]);
  for (const wrong of [{ password: 'hunter2' }, { username: 'somebody' }])
    expect(await publish(wrong)).toMatchObject([{ outcome: 'retry', class: 'unauthorized' }]);
  expect(broker.records()).toHaveLength(1);
  await broker.stop();
});
