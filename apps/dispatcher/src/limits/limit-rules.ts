import { prometheusName } from '../metrics/prometheus-name.ts';
import type { Limit } from './limit.ts';
import type { Alert, Recording, Rule } from './rule.ts';

/** The pairs of windows of the multi-window burn rate, each with the share of the error budget that it may use up before somebody is told. */
const BURNS = [
  { long: '1h', hours: 1, short: '5m', budget: 0.02, severity: 'page' },
  { long: '6h', hours: 6, short: '30m', budget: 0.05, severity: 'page' },
  { long: '1d', hours: 24, short: '2h', budget: 0.1, severity: 'ticket' },
  { long: '3d', hours: 72, short: '6h', budget: 0.1, severity: 'ticket' },
] as const;

const WINDOWS = ['5m', '30m', '1h', '2h', '6h', '1d', '3d'] as const;

/** The rules of one limit: how fast its error budget burns, and how old its oldest message is. */
export function limitRules(limit: Limit): readonly Rule[] {
  return [
    ...WINDOWS.map((window) => missed(limit, window)),
    ...BURNS.flatMap((burn) => burnAlert(limit, burn)),
    tooOld(limit),
  ];
}

/** The share of messages that missed the target. A dead letter has missed it; what has not ended yet is the oldest age's to tell. */
function missed(limit: Limit, window: string): Recording {
  const where = selector(limit);
  const latency = prometheusName('waybill.delivery.latency');
  // Prometheus 3 writes a whole bound as "60.0".
  const within = `le=~"${String(limit.withinSeconds).replace('.', '\\\\.')}(\\\\.0)?"`;
  const inTime = `sum(rate(${latency}_bucket{${[within, ...where].join(', ')}}[${window}]))`;
  const ended = `sum(rate(${latency}_count{${where.join(', ')}}[${window}]))`;
  const dead = `sum(rate(${prometheusName('waybill.delivery.dead_letters')}{${where.join(', ')}}[${window}]))`;
  return {
    record: `waybill:limit_missed:ratio_rate${window}`,
    expr: `1 - (${inTime} or vector(0)) / (((${ended} or vector(0)) + (${dead} or vector(0))) > 0)`,
    labels: { limit: limit.id },
  };
}

function burnAlert(limit: Limit, { long, short, hours, budget, severity }: (typeof BURNS)[number]): readonly Alert[] {
  // Slower than 1 lasts for the whole window and is no news.
  const factor = Math.max(1, (budget * limit.windowDays * 24) / hours);
  const threshold = rounded(factor * (1 - limit.objective));
  if (threshold >= 1) return [];
  const over = (window: string): string =>
    `waybill:limit_missed:ratio_rate${window}{limit="${limit.id}"} > ${String(threshold)}`;
  return [
    {
      alert: 'WaybillLimitBurns',
      expr: `${over(long)} and ${over(short)}`,
      for: '2m',
      severity: limit.alerts[severity],
      labels: { limit: limit.id, window: long },
      summary: `${limit.useCase}: over ${long}, {{ $value | humanizePercentage }} of the messages were not delivered within ${String(limit.withinSeconds)} s.`,
      ...(limit.alerts.runbook === undefined ? {} : { runbook: limit.alerts.runbook }),
    },
  ];
}

/** A histogram of deliveries does not see what is never delivered. */
function tooOld(limit: Limit): Alert {
  const age = `max by (type) (${prometheusName('waybill.message.oldest_age')})`;
  const routes = `max by (type, destination) (${prometheusName('waybill.route.info')}{${selector(limit).join(', ')}})`;
  const oldest = limit.destinations.includes('*')
    ? age
    : `max by (destination) (${routes} * on (type) group_left () ${age})`;
  return {
    alert: 'WaybillLimitOldest',
    expr: `${oldest} > ${String(limit.withinSeconds)}`,
    for: '1m',
    severity: limit.alerts.page,
    labels: { limit: limit.id },
    summary: `${limit.useCase}: the oldest message has waited for {{ $value | humanizeDuration }}.`,
    ...(limit.alerts.runbook === undefined ? {} : { runbook: limit.alerts.runbook }),
  };
}

function selector({ destinations }: Limit): readonly string[] {
  if (destinations.includes('*')) return [];
  return [`destination=~"${destinations.map((name) => name.replaceAll('.', '\\\\.')).join('|')}"`];
}

/** Without the noise of binary fractions, so that a rule reads as it was meant. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
