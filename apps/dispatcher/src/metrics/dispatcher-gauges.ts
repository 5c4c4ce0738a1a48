import { destinationOf } from '../flow/destination.ts';
import type { DispatcherState, RunningDispatcher } from '../loop/running-dispatcher.ts';
import type { Route } from '../routes/route.ts';
import type { EventLoopDelay } from './event-loop-delay.ts';
import type { MetricsSink } from './metric.ts';

const STATES: readonly DispatcherState[] = ['starting', 'running', 'degraded', 'draining', 'stopped'];

/** What a dispatcher tells of itself. */
export interface Watched {
  readonly build: string;
  readonly routes: readonly Route[];
  readonly workers: number;
  readonly dispatcher: Pick<RunningDispatcher, 'state' | 'workload'>;
  readonly eventLoop: Pick<EventLoopDelay, 'seconds'>;
  /** The items of the gate for pull workers that are red. */
  readonly redItems: () => readonly string[];
}

/** Lets a dispatcher be asked how it is, whenever somebody collects. */
export function observeDispatcher(watched: Watched, sink: MetricsSink): void {
  const { dispatcher, build, routes, eventLoop } = watched;
  sink.observe('waybill.store.up', () => [{ attributes: {}, value: dispatcher.workload().storeUp ? 1 : 0 }]);
  sink.observe('waybill.dispatcher.info', () => [{ attributes: { build }, value: 1 }]);
  sink.observe('waybill.dispatcher.state', () =>
    STATES.map((state) => ({ attributes: { state }, value: dispatcher.state() === state ? 1 : 0 })),
  );
  sink.observe('waybill.dispatcher.workers', () => {
    const { idleWorkers } = dispatcher.workload();
    return [
      { attributes: { state: 'idle' }, value: idleWorkers },
      { attributes: { state: 'busy' }, value: watched.workers - idleWorkers },
    ];
  });
  sink.observe('waybill.dispatcher.buffered', () => [{ attributes: {}, value: dispatcher.workload().bufferedRecords }]);
  sink.observe('waybill.dispatcher.held_runs', () => [{ attributes: {}, value: dispatcher.workload().heldRuns }]);
  sink.observe('waybill.route.info', () =>
    routes.map((route) => ({ attributes: { type: route.message.type, destination: destinationOf(route) }, value: 1 })),
  );
  sink.observe('waybill.gate.red', () => watched.redItems().map((item) => ({ attributes: { item }, value: 1 })));
  sink.observe('nodejs.eventloop.delay.p99', () => [{ attributes: {}, value: eventLoop.seconds().p99 }]);
  sink.observe('nodejs.eventloop.delay.max', () => [{ attributes: {}, value: eventLoop.seconds().max }]);
}
