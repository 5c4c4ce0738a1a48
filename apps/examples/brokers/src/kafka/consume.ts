import { Consumer, stringDeserializers } from '@platformatic/kafka';
import type { Consume } from '../billing/consumer.ts';

const TOPIC = 'shop';
const GROUP = 'billing';

export const consume: Consume = async ({ billing, source, onReady }) => {
  const sasl = { mechanism: 'PLAIN', username: source.user, password: source.password } as const;
  const consumer = new Consumer({
    clientId: 'billing',
    groupId: GROUP,
    bootstrapBrokers: [source.url],
    deserializers: stringDeserializers,
    autocommit: false,
    ...(source.user === '' ? {} : { sasl }),
  });
  const stream = await consumer.consume({ topics: [TOPIC], mode: 'committed', fallbackMode: 'earliest' });
  onReady(`topic ${TOPIC}`);
  for await (const message of stream) {
    const header = (name: string): string => message.headers.get(name) ?? '';
    await billing.receive({
      id: header('waybill-id'),
      type: header('waybill-type'),
      version: Number(header('waybill-version')),
      body: message.value,
    });
    // Only now: what is committed does not come again.
    await message.commit();
  }
};
