import { ATTEMPT_RESULTS, DEAD_LETTER_REASONS } from '@waybill/contracts';
import { classifyStoreError } from '@waybill/store';
import { destinationOf } from '../flow/destination.ts';
import { nextOf } from '../loop/attempt-log.ts';
import type { LoopObserver } from '../loop/observer.ts';
import type { Route } from '../routes/route.ts';
import type { DatabaseClock } from './database-clock.ts';
import type { AttributesOf, MetricsSink } from './metric.ts';

/** Turns what happens in the loop into measurements. */
export function loopMetrics(routes: readonly Route[], sink: MetricsSink, clock: DatabaseClock): LoopObserver {
  const destinations = new Map(routes.map((route) => [route.message.type, destinationOf(route)]));
  const series = new AttemptSeries(destinations);
  startAtZero(destinations, sink);
  return {
    claimed(records) {
      sink.count('waybill.claim.messages', {}, records);
    },
    attempted({ type, enqueuedAt, attempt }, end, durationMs) {
      const result = end.outcome.outcome;
      const { counted, lasted, taken, late, dead } = series.of(type, result);
      sink.count('waybill.delivery.attempts', counted);
      sink.record('waybill.delivery.duration', lasted, durationMs / 1_000);
      if (result === 'accepted') sink.record('waybill.message.attempts', taken, attempt + 1);
      const latency = result === 'accepted' ? clock.secondsSince(enqueuedAt) : null;
      if (latency !== null) sink.record('waybill.delivery.latency', late, latency);
      const next = nextOf(end);
      if (next?.then !== 'dead-letter') return;
      sink.count('waybill.delivery.dead_letters', { ...late, type, reason: next.reason });
      sink.record('waybill.message.attempts', dead, attempt + 1);
    },
    settled(results) {
      const lost = results.filter(({ status }) => status === 'lease-lost').length;
      if (results.length > lost) sink.count('waybill.settlement.results', SETTLED, results.length - lost);
      if (lost > 0) sink.count('waybill.settlement.results', LEASE_LOST, lost);
    },
    storeAnswered(operation, durationMs) {
      sink.record('waybill.store.operation.duration', { operation }, durationMs / 1_000);
    },
    storeFailed(operation, cause) {
      sink.count('waybill.store.errors', { operation, 'error.type': classifyStoreError(cause) });
    },
  };
}

const SETTLED = { result: 'settled' } as const;
const LEASE_LOST = { result: 'lease-lost' } as const;

/** The attributes of what is measured of each attempt: made once for each type and result, since an attempt may be shorter than their making. */
class AttemptSeries {
  readonly #destinations: ReadonlyMap<string, string>;
  readonly #byType = new Map<string, Map<string, SeriesOfAttempt>>();

  constructor(destinations: ReadonlyMap<string, string>) {
    this.#destinations = destinations;
  }

  of(type: string, result: string): SeriesOfAttempt {
    const known = this.#byType.get(type)?.get(result);
    if (known !== undefined) return known;
    const destination = this.#destinations.get(type) ?? type;
    const made = {
      counted: { type, destination, result },
      lasted: { destination, result },
      taken: { destination, result },
      late: { destination },
      dead: { destination, result: 'dead-letter' },
    };
    const ofType = this.#byType.get(type) ?? new Map<string, SeriesOfAttempt>();
    this.#byType.set(type, ofType.set(result, made));
    return made;
  }
}

interface SeriesOfAttempt {
  readonly counted: AttributesOf<'waybill.delivery.attempts'>;
  readonly lasted: AttributesOf<'waybill.delivery.duration'>;
  readonly taken: AttributesOf<'waybill.message.attempts'>;
  readonly dead: AttributesOf<'waybill.message.attempts'>;
  readonly late: AttributesOf<'waybill.delivery.latency'>;
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
