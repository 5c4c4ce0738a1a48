import { call, defineDispatcher } from '@waybill/dispatcher';
import { benchContracts, OrderPlaced } from './load/contract.ts';
import { type ConsumeOrder, handlerFor } from './process/consuming.ts';
import { processMeter, processParent } from './process/edge.ts';

// Whoever starts the dispatcher gives the order; nothing else reads this variable.
const order = JSON.parse(
  process.env['WAYBILL_BENCH_CONSUME'] ?? '{"expected":0,"work":{"kind":"nothing"}}',
) as ConsumeOrder;
const handle = handlerFor(order, processParent(process), processMeter(process, performance));

/** The dispatcher with its defaults, but for what has nothing to do with speed: the port of its probes. */
export default defineDispatcher({
  build: 'bench@1',
  contracts: [benchContracts],
  routes: [call(OrderPlaced, handle)],
  health: { port: 0 },
  log: { level: 'warn' },
});
