import { defineDispatcher, handle } from '@waybill/dispatcher';
import { OrderPlaced1, shop1, take } from '../orders.ts';

export default defineDispatcher({
  build: 'shop@1',
  contracts: [shop1],
  routes: [handle(OrderPlaced1, take)],
  health: { port: 0 },
  polling: { idleMs: 50 },
  // A drain that an operator asks for begins at a heartbeat.
  lease: { leaseMs: 10_000, renewEveryMs: 500 },
});
