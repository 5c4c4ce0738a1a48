import { type Counter, createNoopMeter, type Histogram, type Meter, metrics } from '@opentelemetry/api';
import { BOUNDS, METRIC_ROWS, METRICS, type MetricName } from './catalogue.ts';
import { allOf, type Metric, type MetricsSink } from './metric.ts';

/** Hands measurements to OpenTelemetry's API: to the SDK that was loaded before the program (`node --import`), or to nobody. */
export function openTelemetrySink(meter: Meter = metrics.getMeter('@waybill/dispatcher')): MetricsSink {
  // Without an SDK nothing is handed over: what nobody takes need not be prepared for each message.
  if (meter === createNoopMeter()) return allOf([]);
  const counters = new Map<MetricName, Counter>();
  const histograms = new Map<MetricName, Histogram>();
  for (const [name, metric] of METRIC_ROWS) {
    if (metric.kind === 'counter') counters.set(name, meter.createCounter(name, optionsOf(metric)));
    if (metric.kind === 'histogram') {
      const advice = { explicitBucketBoundaries: [...BOUNDS[metric.bounds ?? 'call']] };
      histograms.set(name, meter.createHistogram(name, { ...optionsOf(metric), advice }));
    }
  }
  return {
    count: (name, attributes, by = 1) => counters.get(name)?.add(by, { ...attributes }),
    record: (name, attributes, value) => histograms.get(name)?.record(value, { ...attributes }),
    observe: (name, read) => {
      meter.createObservableGauge(name, optionsOf(METRICS[name])).addCallback((result) => {
        for (const { attributes, value } of read()) result.observe(value, { ...attributes });
      });
    },
  };
}

function optionsOf({ unit, help }: Metric): { readonly unit: string; readonly description: string } {
  return { unit, description: help };
}
