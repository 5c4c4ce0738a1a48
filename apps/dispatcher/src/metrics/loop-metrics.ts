import { ATTEMPT_RESULTS, DEAD_LETTER_REASONS } from '@waybill/contracts';
import { classifyStoreError } from '@waybill/store';
import { destinationOf } from '../flow/destination.ts';
import { nextOf } from '../loop/attempt-log.ts';
import type { LoopObserver } from '../loop/observer.ts';
import type { Route } from '../routes/route.ts';
import type { DatabaseClock } from './database-clock.ts';
import type { MetricsSink } from './metric.ts';

/** Turns what happens in the loop into measurements. */
export function loopMetrics(routes: readonly Route[], sink: MetricsSink, clock: DatabaseClock): LoopObserver {
  const destinations = new Map(routes.map((route) => [route.message.type, destinationOf(route)]));
  startAtZero(destinations, sink);
  return {
    claimed(records, durationMs) {
      sink.count('waybill.claim.messages', {}, records);
      sink.record('waybill.claim.duration', {}, durationMs / 1_000);
    },
    attempted({ type, enqueuedAt }, end, durationMs) {
      const destination = destinations.get(type) ?? type;
      const result = end.outcome.outcome;
      sink.count('waybill.delivery.attempts', { type, destination, result });
      sink.record('waybill.delivery.duration', { destination, result }, durationMs / 1_000);
      const latency = result === 'accepted' ? clock.secondsSince(enqueuedAt) : null;
      if (latency !== null) sink.record('waybill.delivery.latency', { destination }, latency);
      const next = nextOf(end);
      if (next?.then === 'dead-letter')
        sink.count('waybill.delivery.dead_letters', { type, destination, reason: next.reason });
    },
    settled(results) {
      for (const { status } of results) sink.count('waybill.settlement.results', { result: status });
    },
    storeFailed(operation, cause) {
      sink.count('waybill.store.errors', { operation, 'error.type': classifyStoreError(cause) });
    },
  };
}

/** A rate over a series that appears with its first event misses that event, and a ratio with a missing side is silent. */
function startAtZero(destinations: ReadonlyMap<string, string>, sink: MetricsSink): void {
  sink.count('waybill.claim.messages', {}, 0);
  for (const result of ['settled', 'lease-lost']) sink.count('waybill.settlement.results', { result }, 0);
  for (const [type, destination] of destinations) {
    for (const result of ATTEMPT_RESULTS) sink.count('waybill.delivery.attempts', { type, destination, result }, 0);
    for (const reason of DEAD_LETTER_REASONS)
      sink.count('waybill.delivery.dead_letters', { type, destination, reason }, 0);
  }
}
