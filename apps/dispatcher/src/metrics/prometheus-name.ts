import { METRICS, type MetricName } from './catalogue.ts';
import type { Metric } from './metric.ts';

/** The units that are written out; the others are not part of a name. */
const WORDS: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' };

/**
 * The name that a measure has in Prometheus: OpenTelemetry's own translation, so that the same rules fit a scrape and whatever a collector writes.
 * Pure.
 */
export function prometheusName(name: MetricName): string {
  const { kind, unit }: Metric = METRICS[name];
  const base = name.replaceAll('.', '_');
  const word = WORDS[unit];
  const united = word === undefined ? base : `${base}_${word}`;
  return kind === 'counter' ? `${united}_total` : united;
}

/** The same for an attribute. */
export function prometheusLabel(attribute: string): string {
  return attribute.replaceAll('.', '_');
}
