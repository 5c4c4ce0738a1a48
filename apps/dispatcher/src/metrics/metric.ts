import type { BOUNDS, METRICS, MetricName } from './catalogue.ts';

/** What one measure is. */
export interface Metric {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** By UCUM, as OpenTelemetry has it: `s`, `By`, `1`, or `{thing}`. */
  readonly unit: string;
  readonly attributes: readonly string[];
  /** Every dispatcher tells of itself, or one of them of the store. */
  readonly from: 'each' | 'one';
  /** One sentence or two. */
  readonly help: string;
  /** Which buckets a histogram has. */
  readonly bounds?: keyof typeof BOUNDS;
}

type NamesOf<Kind extends Metric['kind']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['kind'] extends Kind ? Name : never;
}[MetricName];

export type CounterName = NamesOf<'counter'>;
export type GaugeName = NamesOf<'gauge'>;
export type HistogramName = NamesOf<'histogram'>;

/** The attributes of a measure, all of them. */
export type AttributesOf<Name extends MetricName> = {
  readonly [Attribute in (typeof METRICS)[Name]['attributes'][number]]: string;
};

export interface Reading<Name extends MetricName> {
  readonly attributes: AttributesOf<Name>;
  readonly value: number;
}

/** Where measurements go. None of it waits or throws. */
export interface MetricsSink {
  /** Adds to a counter; adding 0 makes its series exist. */
  count<Name extends CounterName>(name: Name, attributes: AttributesOf<Name>, by?: number): void;
  record<Name extends HistogramName>(name: Name, attributes: AttributesOf<Name>, value: number): void;
  /** Names who is asked for a gauge whenever it is collected. A series that is not among the readings vanishes. */
  observe<Name extends GaugeName>(name: Name, read: () => readonly Reading<Name>[]): void;
}

/** A sink that passes everything on to several. */
export function allOf(sinks: readonly MetricsSink[]): MetricsSink {
  return {
    count: (name, attributes, by) => {
      for (const sink of sinks) sink.count(name, attributes, by);
    },
    record: (name, attributes, value) => {
      for (const sink of sinks) sink.record(name, attributes, value);
    },
    observe: (name, read) => {
      for (const sink of sinks) sink.observe(name, read);
    },
  };
}
