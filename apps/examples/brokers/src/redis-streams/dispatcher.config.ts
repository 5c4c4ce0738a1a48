import { defineDispatcher, publish } from '@waybill/dispatcher';
import { redisStreams } from '@waybill/transports/redis-streams';
import { OrderPlaced, shopContracts } from '../contracts.ts';

const { BROKER_URL = 'redis://127.0.0.1:6379' } = process.env;

export default defineDispatcher({
  build: 'shop-dispatcher@1.0.0',
  contracts: [shopContracts],
  routes: [
    publish(OrderPlaced, {
      // Nothing is dropped: a job of yours trims what every group has acknowledged.
      to: redisStreams({ url: BROKER_URL, stream: 'shop', trim: 'never', dedupWindowMs: 10 * 60 * 1000 }),
    }),
  ],
  health: { port: 0 },
});
