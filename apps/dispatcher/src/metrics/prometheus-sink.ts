import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { BOUNDS, METRIC_ROWS, METRICS } from './catalogue.ts';
import type { Metric, MetricsSink, Reading } from './metric.ts';
import { prometheusLabel, prometheusName } from './prometheus-name.ts';

export interface PrometheusSink extends MetricsSink {
  readonly contentType: string;
  /** Everything as Prometheus reads it. Asks nobody but this process. */
  render(): Promise<string>;
}

/** Keeps measurements for a scrape, in a registry of its own. */
export function prometheusSink(): PrometheusSink {
  const registry = new Registry();
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  for (const [name, metric] of METRIC_ROWS) {
    if (metric.kind === 'counter') counters.set(name, new Counter({ ...common(name, metric), registers: [registry] }));
    if (metric.kind === 'histogram')
      histograms.set(
        name,
        new Histogram({
          ...common(name, metric),
          buckets: [...BOUNDS[metric.bounds ?? 'call']],
          registers: [registry],
        }),
      );
  }
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    count: (name, attributes, by = 1) => counters.get(name)?.inc(labelsOf(attributes), by),
    record: (name, attributes, value) => histograms.get(name)?.observe(labelsOf(attributes), value),
    observe: (name, read) => {
      const options = common(name, METRICS[name]);
      // Asked at each scrape: what nobody vouches for any more is not shown.
      const gauge: Gauge = new Gauge({
        ...options,
        registers: [registry],
        collect: (): void => show(gauge, options, read()),
      });
    },
  };
}

function show(
  gauge: Gauge,
  { labelNames }: { readonly labelNames: readonly string[] },
  readings: readonly Reading<never>[],
): void {
  gauge.reset();
  // A gauge without labels is reset to 0 rather than to nothing.
  if (labelNames.length === 0) gauge.remove();
  for (const { attributes, value } of readings) gauge.set(labelsOf(attributes), value);
}

function common(
  name: (typeof METRIC_ROWS)[number][0],
  metric: Metric,
): { name: string; help: string; labelNames: string[] } {
  return { name: prometheusName(name), help: metric.help, labelNames: metric.attributes.map(prometheusLabel) };
}

/** Callers on the hot path use the same attributes again and again, so they are translated once. */
const translated = new WeakMap<Readonly<Record<string, string>>, Record<string, string>>();

function labelsOf(attributes: Readonly<Record<string, string>>): Record<string, string> {
  const known = translated.get(attributes);
  if (known !== undefined) return known;
  const labels = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [prometheusLabel(name), value]));
  translated.set(attributes, labels);
  return labels;
}
