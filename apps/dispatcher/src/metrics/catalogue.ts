import type { Metric } from './metric.ts';

/** Upper bounds of the buckets of a histogram, in seconds. A limit may name each bound of the latency as its target: the histogram says exactly what met it. */
export const BOUNDS: Readonly<Record<'latency' | 'call', readonly number[]>> = {
  latency: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 21_600],
  call: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
};

/**
 * Everything that is measured. Both sinks and docs/metrics.md are made from this list. Names follow OpenTelemetry's conventions; no attribute
 * grows with the messages. `from`: who tells. `each`: every dispatcher of itself. `one`: of the store, the live dispatcher that has been registered longest.
 */
export const METRICS = {
  'waybill.store.up': {
    kind: 'gauge',
    unit: '1',
    attributes: [],
    from: 'each',
    help: '1 while the store answers this dispatcher, else 0. A message that fails does not change it.',
  },
  'waybill.store.errors': {
    kind: 'counter',
    unit: '{error}',
    attributes: ['operation', 'error.type'],
    from: 'each',
    help: 'What the store could not do, by kind: unavailable, transient or fatal.',
  },
  'waybill.claim.duration': {
    kind: 'histogram',
    unit: 's',
    attributes: [],
    from: 'each',
    bounds: 'call',
    help: 'How long a claim took that was answered.',
  },
  'waybill.claim.messages': {
    kind: 'counter',
    unit: '{message}',
    attributes: [],
    from: 'each',
    help: 'Messages that were claimed.',
  },
  'waybill.settlement.results': {
    kind: 'counter',
    unit: '{settlement}',
    attributes: ['result'],
    from: 'each',
    help: 'Settlements of runs: settled, or lease-lost when the lease had run out or moved on.',
  },
  'waybill.delivery.attempts': {
    kind: 'counter',
    unit: '{attempt}',
    attributes: ['type', 'destination', 'result'],
    from: 'each',
    help: 'How tries at messages ended. Only accepted, retry, refused and unknown use up an attempt.',
  },
  'waybill.delivery.duration': {
    kind: 'histogram',
    unit: 's',
    attributes: ['destination', 'result'],
    from: 'each',
    bounds: 'call',
    help: 'How long one try took.',
  },
  'waybill.delivery.latency': {
    kind: 'histogram',
    unit: 's',
    attributes: ['destination'],
    from: 'each',
    bounds: 'latency',
    help: 'From the enqueue to the acceptance, by the clock of the database, retries included.',
  },
  'waybill.delivery.dead_letters': {
    kind: 'counter',
    unit: '{message}',
    attributes: ['type', 'destination', 'reason'],
    from: 'each',
    help: 'Messages that this dispatcher gave up.',
  },
  'waybill.message.pending': {
    kind: 'gauge',
    unit: '{message}',
    attributes: ['type', 'version', 'reason'],
    from: 'one',
    help: 'Messages that wait, by why: ready, timed (backoff or delay), behind an older one of their key, or no-reader.',
  },
  'waybill.message.processing': {
    kind: 'gauge',
    unit: '{message}',
    attributes: ['type', 'version'],
    from: 'one',
    help: 'Leased messages. Those claimed along with one of their key count as behind.',
  },
  'waybill.message.retrying': {
    kind: 'gauge',
    unit: '{message}',
    attributes: ['type', 'version'],
    from: 'one',
    help: 'Messages that have failed and will be tried again.',
  },
  'waybill.message.dead': {
    kind: 'gauge',
    unit: '{message}',
    attributes: ['type', 'version', 'reason'],
    from: 'one',
    help: 'Open dead letters: neither replayed nor discarded.',
  },
  'waybill.message.oldest_age': {
    kind: 'gauge',
    unit: 's',
    attributes: ['type', 'version'],
    from: 'one',
    help: 'Since the oldest message that has not ended was enqueued, by the clock of the database; 0 when there is none.',
  },
  'waybill.message.waiting_for_reader': {
    kind: 'gauge',
    unit: '{message}',
    attributes: ['type', 'version'],
    from: 'one',
    help: 'Messages that no live dispatcher reads. They wait for one that does, and use up no attempt.',
  },
  'waybill.message.waiting_for_reader_age': {
    kind: 'gauge',
    unit: 's',
    attributes: ['type', 'version'],
    from: 'one',
    help: 'The age of the oldest of them.',
  },
  'waybill.message.capped': {
    kind: 'gauge',
    unit: '1',
    attributes: [],
    from: 'one',
    help: '1 while there are more messages than are counted, so that the counts are lower bounds.',
  },
  'waybill.key.held': {
    kind: 'gauge',
    unit: '{key}',
    attributes: [],
    from: 'one',
    help: 'Record keys that wait for an operator behind a dead message (head policy hold).',
  },
  'waybill.audit.findings': {
    kind: 'counter',
    unit: '{row}',
    attributes: ['finding'],
    from: 'one',
    help: 'Rows that waited for nobody and were healed: waiting, or orphaned behind a closed dead letter. Anything but 0 is a bug of ours.',
  },
  'waybill.sample.age': {
    kind: 'gauge',
    unit: 's',
    attributes: [],
    from: 'one',
    help: 'How old the readings of the store are. They are withdrawn when it exceeds three intervals.',
  },
  'waybill.sample.duration': {
    kind: 'histogram',
    unit: 's',
    attributes: [],
    from: 'one',
    bounds: 'call',
    help: 'How long a look at the store took.',
  },
  'waybill.table.dead_rows': {
    kind: 'gauge',
    unit: '{row}',
    attributes: ['table'],
    from: 'one',
    help: 'Rows that vacuum has yet to remove, by an estimate of the server. Claims slow down when they pile up.',
  },
  'waybill.table.size': {
    kind: 'gauge',
    unit: 'By',
    attributes: ['table'],
    from: 'one',
    help: 'What a table takes up on disk, with its indexes.',
  },
  'waybill.store.oldest_transaction_age': {
    kind: 'gauge',
    unit: 's',
    attributes: [],
    from: 'one',
    help: 'Of the oldest open transaction of this database that holds vacuum back; 0 when there is none. A role without pg_read_all_stats sees only its own sessions.',
  },
  'waybill.dispatcher.live': {
    kind: 'gauge',
    unit: '{dispatcher}',
    attributes: ['build'],
    from: 'one',
    help: 'Dispatchers that claim, by the registry of the store.',
  },
  'waybill.dispatcher.info': {
    kind: 'gauge',
    unit: '1',
    attributes: ['build'],
    from: 'each',
    help: 'Always 1: which build this is.',
  },
  'waybill.dispatcher.state': {
    kind: 'gauge',
    unit: '1',
    attributes: ['state'],
    from: 'each',
    help: '1 for the state that this dispatcher is in: starting, running, degraded, draining or stopped.',
  },
  'waybill.dispatcher.workers': {
    kind: 'gauge',
    unit: '{worker}',
    attributes: ['state'],
    from: 'each',
    help: 'Workers: idle or busy.',
  },
  'waybill.dispatcher.buffered': {
    kind: 'gauge',
    unit: '{message}',
    attributes: [],
    from: 'each',
    help: 'Claimed messages that no worker has begun.',
  },
  'waybill.dispatcher.held_runs': {
    kind: 'gauge',
    unit: '{run}',
    attributes: [],
    from: 'each',
    help: 'Leased runs of messages: buffered, in a handler, or waiting to be settled.',
  },
  'waybill.route.info': {
    kind: 'gauge',
    unit: '1',
    attributes: ['type', 'destination'],
    from: 'each',
    help: 'Always 1: where this dispatcher takes a message type. Without a transport the destination is the type itself.',
  },
  'waybill.gate.red': {
    kind: 'gauge',
    unit: '1',
    attributes: ['item'],
    from: 'each',
    help: '1 for each item of the gate for pull workers that is red.',
  },
  'nodejs.eventloop.delay.p99': {
    kind: 'gauge',
    unit: 's',
    attributes: [],
    from: 'each',
    help: 'How late the event loop was, but for the worst hundredth, over the last interval.',
  },
  'nodejs.eventloop.delay.max': {
    kind: 'gauge',
    unit: 's',
    attributes: [],
    from: 'each',
    help: 'How late the event loop was at worst over the last interval.',
  },
} as const;

export type MetricName = keyof typeof METRICS;

/** The list for whoever goes through all of it. Its type holds each entry to the form. */
export const METRIC_ROWS: readonly (readonly [MetricName, Metric])[] = Object.entries(METRICS) as [
  MetricName,
  Metric,
][]; // Object.entries forgets the keys' type.
