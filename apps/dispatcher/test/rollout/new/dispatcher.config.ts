import { defineDispatcher, handle } from '@waybill/dispatcher';
import { OrderPlaced2, shop2, take } from '../orders.ts';

export default defineDispatcher({
  build: 'shop@2',
  contracts: [shop2],
  routes: [handle(OrderPlaced2, take)],
  health: { port: 0 },
  polling: { idleMs: 50 },
  // A drain that an operator asks for begins at a heartbeat.
  lease: { leaseMs: 10_000, renewEveryMs: 500 },
});
