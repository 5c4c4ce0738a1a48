import type { BrokerAddress } from '../broker/broker.ts';
import type { Handle } from '../contender/contender.ts';
import { countingHandler, type Work } from './handler.ts';
import { Counter, type Meter, type Tally } from './tally.ts';

/** What a consuming process is told, as JSON in the environment variable `WAYBILL_BENCH_CONSUME`. */
export interface ConsumeOrder {
  /** Messages in the load. */
  readonly expected: number;
  readonly work: Work;
  /** Waybill publishes the messages to this broker instead of handling them. */
  readonly publishTo?: BrokerAddress;
}

/** From a consuming process to whoever started it. */
export type ConsumeReport =
  | { readonly kind: 'progress'; readonly handled: number }
  | { readonly kind: 'tally'; readonly tally: Tally };

/** The wire between a process and its parent. */
export interface Parent {
  send(report: ConsumeReport): void;
  /** The parent asks for the end, once. */
  onStop(stop: () => void): void;
}

const PROGRESS_MS = 20;

/** The handler of a process that consumes. */
export function handlerFor(order: ConsumeOrder, parent: Parent, meter: Meter): Handle {
  return countingHandler(order.work, counterFor(order, parent, meter));
}

/** Counts what this process does, reports its progress, and sends the tally when the parent asks for the end. */
export function counterFor(order: ConsumeOrder, parent: Parent, meter: Meter): Counter {
  const counter = new Counter(order.expected, meter);
  let reported = 0;
  const timer = setInterval(() => {
    if (counter.handled === reported) return;
    reported = counter.handled;
    parent.send({ kind: 'progress', handled: reported });
  }, PROGRESS_MS);
  timer.unref();
  parent.onStop(() => {
    clearInterval(timer);
    parent.send({ kind: 'tally', tally: counter.tally() });
  });
  return counter;
}
