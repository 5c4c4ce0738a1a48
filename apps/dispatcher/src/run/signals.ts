import type { Store } from '@waybill/store';
import type { Settings } from '../config/settings.ts';
import type { PullGate } from '../gate/evaluate.ts';
import type { MetricsPage } from '../health/metrics-answer.ts';
import type { Clock } from '../loop/clock.ts';
import type { LoopObserver, TraceAttempt } from '../loop/observer.ts';
import type { RunningDispatcher } from '../loop/running-dispatcher.ts';
import { DatabaseClock } from '../metrics/database-clock.ts';
import { observeDispatcher } from '../metrics/dispatcher-gauges.ts';
import { EventLoopDelay } from '../metrics/event-loop-delay.ts';
import { loopMetrics } from '../metrics/loop-metrics.ts';
import { allOf } from '../metrics/metric.ts';
import { openTelemetrySink } from '../metrics/opentelemetry-sink.ts';
import { prometheusSink } from '../metrics/prometheus-sink.ts';
import { Sampler } from '../metrics/sampler.ts';
import { observeStore } from '../metrics/store-gauges.ts';
import type { Route } from '../routes/route.ts';
import { traceAttempts } from '../tracing/trace-attempts.ts';

/** What makes a dispatcher visible: to be given to it when it starts, and told of it once it runs. */
export interface Signals {
  readonly observer: LoopObserver;
  readonly trace: TraceAttempt;
  /** Told how the gate of the pull workers stands. */
  readonly onGate: (gate: PullGate) => void;
  readonly page: MetricsPage;
  /** Starts to look at the dispatcher and its store, until the signal fires. */
  readonly watch: (dispatcher: RunningDispatcher, signal: AbortSignal) => Promise<void>;
}

export interface SignalsDeps {
  readonly settings: Pick<Settings, 'build' | 'metrics' | 'workers'>;
  readonly routes: readonly Route[];
  /** Over connections that nothing else uses. */
  readonly store: Store;
  readonly clock: Clock;
}

export function createSignals({ settings, routes, store, clock }: SignalsDeps): Signals {
  const prometheus = prometheusSink();
  const sink = allOf([prometheus, openTelemetrySink()]);
  const databaseClock = new DatabaseClock(() => clock.now());
  const observer = loopMetrics(routes, sink, databaseClock);
  let redItems: readonly string[] = [];
  return {
    observer,
    onGate: ({ items }) => {
      redItems = items.filter(({ state }) => state === 'red').map(({ id }) => id);
    },
    trace: traceAttempts(routes),
    page: { contentType: prometheus.contentType, render: () => prometheus.render(), token: settings.metrics.token },
    async watch(dispatcher, signal) {
      const eventLoop = new EventLoopDelay();
      const { build, workers, metrics } = settings;
      observeDispatcher(
        { build, routes, workers: workers.concurrency, dispatcher, eventLoop, redItems: () => redItems },
        sink,
      );
      const sampler = new Sampler({
        store,
        owner: () => dispatcher.workload().owner,
        everyMs: metrics.sampleEveryMs,
        sink,
        databaseClock,
        clock,
        onTurn: () => eventLoop.turn(),
        onFailed: (operation, cause) => observer.storeFailed(operation, cause),
      });
      observeStore(() => sampler.latest(), sink);
      await sampler.run(signal);
      eventLoop.close();
    },
  };
}
