import { spawnSync } from 'node:child_process';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { describe, expect, test } from 'vitest';
import { METRIC_ROWS } from './catalogue.ts';
import { allOf, type Reading } from './metric.ts';
import { openTelemetrySink } from './opentelemetry-sink.ts';
import { prometheusName } from './prometheus-name.ts';
import { prometheusSink } from './prometheus-sink.ts';

const ATTEMPT = { type: 'parcels.weigh', destination: 'scales', result: 'accepted' };

describe('Prometheus', () => {
  test('W21: counts, measures and reads by the names of the translation', async () => {
    const sink = prometheusSink();
    sink.count('waybill.delivery.attempts', ATTEMPT);
    sink.count('waybill.delivery.attempts', ATTEMPT, 2);
    sink.count('waybill.store.errors', { operation: 'claim', 'error.type': 'unavailable' }, 0);
    sink.record('waybill.delivery.duration', { destination: 'scales', result: 'accepted' }, 0.2);
    sink.observe('waybill.store.up', () => [{ attributes: {}, value: 1 }]);
    const page = await sink.render();
    expect(page).toContain(
      'waybill_delivery_attempts_total{type="parcels.weigh",destination="scales",result="accepted"} 3',
    );
    expect(page).toContain('waybill_store_errors_total{operation="claim",error_type="unavailable"} 0');
    expect(page).toContain(
      'waybill_delivery_duration_seconds_bucket{le="0.25",destination="scales",result="accepted"} 1',
    );
    expect(page).toContain('\nwaybill_store_up 1\n');
  });

  test('W27: a gauge that is no longer read vanishes, with labels and without', async () => {
    const sink = prometheusSink();
    let held: readonly Reading<'waybill.key.held'>[] = [{ attributes: {}, value: 3 }];
    let live: readonly Reading<'waybill.dispatcher.live'>[] = [{ attributes: { build: 'a' }, value: 1 }];
    sink.observe('waybill.key.held', () => held);
    sink.observe('waybill.dispatcher.live', () => live);
    expect(await sink.render()).toMatch(/waybill_key_held 3[^]*waybill_dispatcher_live\{build="a"\} 1/);
    [held, live] = [[], [{ attributes: { build: 'b' }, value: 1 }]];
    const page = await sink.render();
    expect(page).not.toMatch(/^waybill_key_held /m);
    expect(page).not.toContain('build="a"');
    expect(page).toContain('waybill_dispatcher_live{build="b"} 1');
  });
});

describe('OpenTelemetry', () => {
  test('W21 W27: the official SDK gets the same, and under delta temporality no reading that was withdrawn', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.DELTA);
    const provider = new MeterProvider({
      readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
    });
    const sink = allOf([prometheusSink(), openTelemetrySink(provider.getMeter('test'))]);
    let held: readonly Reading<'waybill.key.held'>[] = [{ attributes: {}, value: 3 }];
    sink.count('waybill.delivery.attempts', ATTEMPT, 2);
    sink.record('waybill.delivery.latency', { destination: 'scales' }, 42);
    sink.observe('waybill.key.held', () => held);
    await provider.forceFlush();
    expect(points(exporter)).toMatchObject({
      'waybill.delivery.attempts': [{ attributes: ATTEMPT, value: 2 }],
      'waybill.delivery.latency': [{ attributes: { destination: 'scales' }, value: { count: 1, sum: 42 } }],
      'waybill.key.held': [{ value: 3 }],
    });
    exporter.reset();
    held = [];
    await provider.forceFlush();
    expect(points(exporter)['waybill.key.held'] ?? []).toEqual([]);
    await provider.shutdown();
  });
});

function points(exporter: InMemoryMetricExporter): Readonly<Record<string, readonly unknown[]>> {
  const found = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  return Object.fromEntries(found.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints]));
}

describe('the catalogue', () => {
  test.each([
    ['waybill.store.up', 'waybill_store_up'],
    ['waybill.delivery.duration', 'waybill_delivery_duration_seconds'],
    ['waybill.delivery.attempts', 'waybill_delivery_attempts_total'],
    ['waybill.table.size', 'waybill_table_size_bytes'],
    ['nodejs.eventloop.delay.p99', 'nodejs_eventloop_delay_p99_seconds'],
  ] as const)('W21: %s is called %s in Prometheus', (name, translated) => {
    expect(prometheusName(name)).toBe(translated);
  });

  test('W21: names and units are as the conventions want them, and nothing is named twice', () => {
    for (const [name, { unit, kind, attributes, help, bounds }] of METRIC_ROWS) {
      expect(name).toMatch(/^(waybill|nodejs)(\.[a-z][a-z0-9_]*)+$/);
      expect(unit).toMatch(/^(s|By|1|\{[a-z]+\})$/);
      expect(help).toMatch(/\.$/);
      expect(bounds !== undefined).toBe(kind === 'histogram');
      // Ids, keys and error texts would make a series for each message.
      expect(attributes.filter((attribute) => /(id|key|message|error)$/.test(attribute))).toEqual([]);
    }
    expect(new Set(METRIC_ROWS.map(([name]) => prometheusName(name))).size).toBe(METRIC_ROWS.length);
  });

  test('W21: promtool has nothing to say against a page with every measure', async () => {
    const sink = prometheusSink();
    sink.observe('waybill.store.up', () => [{ attributes: {}, value: 1 }]);
    const { error, status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: await sink.render() });
    if (error !== undefined) throw new Error('promtool is not installed: apt-get install prometheus', { cause: error });
    expect([status, stderr.toString()]).toEqual([0, '']);
  });
});
