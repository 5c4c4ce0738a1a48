import { redisStreams } from '@waybill/transports/redis-streams';
import { createClient } from 'redis';
import { type Broker, type BrokerAddress, IN_FLIGHT } from './broker.ts';

const STREAM = 'bench';

function urlOf({ port }: BrokerAddress): string {
  return `redis://127.0.0.1:${port}`;
}

export const redisBroker: Broker = {
  async prepare(address) {
    const client = await createClient({ url: urlOf(address) }).connect();
    await client.del(STREAM);
    client.destroy();
  },
  transport: (address) => redisStreams({ url: urlOf(address), stream: STREAM, trim: 'never' }),
  async openDirect(address) {
    const client = await createClient({ url: urlOf(address) }).connect();
    return {
      atOnce: IN_FLIGHT,
      inBatches: false,
      async publish(messages) {
        await Promise.all(messages.map(({ id, body }) => client.xAdd(STREAM, '*', { id, body })));
      },
      close: () => {
        client.destroy();
        return Promise.resolve();
      },
    };
  },
  async held(address) {
    const client = await createClient({ url: urlOf(address) }).connect();
    const length = await client.xLen(STREAM);
    client.destroy();
    return length;
  },
};
