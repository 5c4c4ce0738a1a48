import { call, defineDispatcher, publish, type Route } from '@waybill/dispatcher';
import { loadBroker } from './broker/brokers.ts';
import { countedTransport } from './broker/counted-transport.ts';
import { benchContracts, OrderPlaced } from './load/contract.ts';
import { type ConsumeOrder, counterFor, handlerFor } from './process/consuming.ts';
import { processMeter, processParent } from './process/edge.ts';

// Whoever starts the dispatcher gives the order; nothing else reads this variable.
const order = JSON.parse(
  process.env['WAYBILL_BENCH_CONSUME'] ?? '{"expected":0,"work":{"kind":"nothing"}}',
) as ConsumeOrder;
const [parent, meter] = [processParent(process), processMeter(process, performance)];

async function route(): Promise<Route> {
  // Unless somebody says what a repeat does, records are handed out in batches with a barrier.
  if (!order.publishTo)
    return call(OrderPlaced, handlerFor(order, parent, meter), { idempotency: { class: 'deterministic-set' } });
  const broker = await loadBroker(order.publishTo.broker);
  return publish(OrderPlaced, {
    to: countedTransport(broker.transport(order.publishTo), counterFor(order, parent, meter)),
  });
}

/** The dispatcher with its defaults, but for what has nothing to do with speed: the port of its probes. */
export default defineDispatcher({
  build: 'bench@1',
  contracts: [benchContracts],
  routes: [await route()],
  health: { port: 0 },
  log: { level: 'warn' },
});
