import { BOUNDS, METRIC_ROWS } from './catalogue.ts';
import type { Metric } from './metric.ts';
import { prometheusLabel, prometheusName } from './prometheus-name.ts';

const HEAD = `<!-- Generated from apps/dispatcher/src/metrics/catalogue.ts; a test compares. Do not edit. -->

# Metrics

Every dispatcher serves them on \`/metrics\`, beside the probes (\`health.host\`, \`health.port\`; only this machine by default), in the text format
of Prometheus. \`metrics.token\` makes a scrape show a bearer token. The same measures go to OpenTelemetry, if an SDK is loaded before the program:
\`NODE_OPTIONS='--import ./telemetry.mjs' waybill run\`. Without an SDK that costs nothing. An SDK that
keeps cumulative values goes on repeating a gauge's series that has vanished; with
\`OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=delta\` it does not. The names in Prometheus are OpenTelemetry's own
translation, so the generated rules fit both ways.

Three families that must not be mixed up: can we talk to the store (\`waybill.store.*\`), what becomes of messages (\`waybill.delivery.*\`), and
what waits (\`waybill.message.*\`). An outage of the store moves the first and is no failed message; a target that refuses moves the second
and leaves the store up.

"Told by one": the live dispatcher that has been registered longest looks at the store every \`metrics.sampleEveryMs\`. A look reads a bounded number of rows by
indexes, whatever the tables hold: 20,000 live rows, 5,000 heads of each contract, 5,000 dead letters of each contract and reason. With more than
that \`waybill.message.capped\` is 1 and the counts are lower bounds. When looks fail, or none is due any more, their series vanish: no old
number and no invented 0 is ever shown. A scrape asks the database nothing.

\`waybill.table.*\` and \`waybill.store.oldest_transaction_age\` tell of trouble before there is any: a transaction that stays open keeps vacuum from removing
dead rows, and every claim has to pass them. Let the dispatcher see the transactions of others, which it does not by default:
\`grant pg_read_all_stats to <role of the dispatcher>\`. Prepared transactions it sees in any case. While somebody rewrites the table \`dispatched\`, these
three vanish and the others stay.

Success rate: \`waybill:delivery_success:ratio_rate5m\`, a recording rule of \`waybill alerts generate\`; over the last hour in \`waybill status\`.
`;

/** The reference page of all metrics, in Markdown. */
export function metricsPage(): string {
  return [
    HEAD,
    section('Told by every dispatcher of itself', 'each'),
    section('Told by one dispatcher of the store', 'one'),
  ].join('\n');
}

function section(title: string, from: Metric['from']): string {
  const rows = METRIC_ROWS.filter(([, metric]) => metric.from === from).map(([name, metric]) => {
    const attributes = metric.attributes.map((attribute) => `\`${prometheusLabel(attribute)}\``).join(', ');
    const cells = [`\`${name}\``, `\`${prometheusName(name)}\``, metric.kind, unitOf(metric), attributes, metric.help];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    `## ${title}`,
    '',
    '| OpenTelemetry | Prometheus | kind | unit | labels | meaning |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function unitOf({ unit, bounds }: Metric): string {
  return bounds === undefined ? unit : `${unit}; buckets ${BOUNDS[bounds].join(', ')}`;
}
