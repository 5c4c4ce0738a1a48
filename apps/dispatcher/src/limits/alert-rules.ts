import type { MetricName } from '../metrics/catalogue.ts';
import { prometheusName } from '../metrics/prometheus-name.ts';
import type { Limit } from './limit.ts';
import { limitRules } from './limit-rules.ts';
import type { Alert, Recording, RuleFile } from './rule.ts';

const metric = (name: MetricName): string => prometheusName(name);

/** What is wrong whatever a use case expects. Pure data, but for the names of the catalogue. */
const GENERAL: readonly Alert[] = [
  {
    alert: 'WaybillNoDispatcher',
    // Nobody tells that everybody has stopped, so the silence itself has to speak.
    expr: `absent(${metric('waybill.dispatcher.info')})`,
    for: '2m',
    severity: 'page',
    summary: 'No dispatcher is running, or none is scraped: nothing is delivered.',
  },
  {
    alert: 'WaybillStoreUnavailable',
    expr: `max(${metric('waybill.store.up')}) == 0`,
    for: '2m',
    severity: 'page',
    summary: 'No dispatcher reaches the store. Nothing is lost, no attempt is used up, nothing is delivered.',
  },
  {
    alert: 'WaybillDispatcherStoreUnavailable',
    expr: `min by (instance) (${metric('waybill.store.up')}) == 0`,
    for: '10m',
    severity: 'ticket',
    summary: 'A dispatcher does not reach the store.',
  },
  {
    alert: 'WaybillReadingsMissing',
    expr: `absent(${metric('waybill.sample.age')}) and on () max(${metric('waybill.store.up')}) == 1`,
    for: '5m',
    severity: 'ticket',
    summary: 'The store is up, but nobody can say what waits in it.',
  },
  {
    alert: 'WaybillNoReader',
    expr: `max by (type, version) (${metric('waybill.message.waiting_for_reader')}) > 0`,
    for: '10m',
    severity: 'ticket',
    summary:
      '{{ $value }} messages of {{ $labels.type }}@{{ $labels.version }} wait for a dispatcher that can read them.',
  },
  {
    alert: 'WaybillDeadLetters',
    expr: `sum by (type, destination, reason) (increase(${metric('waybill.delivery.dead_letters')}[15m])) > 0`,
    for: '0m',
    severity: 'ticket',
    summary: 'Messages of {{ $labels.type }} to {{ $labels.destination }} were given up: {{ $labels.reason }}.',
  },
  {
    alert: 'WaybillKeysHeld',
    expr: `max(${metric('waybill.key.held')}) > 0`,
    for: '15m',
    severity: 'ticket',
    summary: '{{ $value }} record keys wait for an operator behind a dead message.',
  },
  {
    alert: 'WaybillGateRed',
    expr: `max by (item) (${metric('waybill.gate.red')}) == 1`,
    for: '15m',
    severity: 'ticket',
    summary: 'Item {{ $labels.item }} of the gate for pull workers is red.',
  },
  {
    alert: 'WaybillStrandedRows',
    expr: `sum by (finding) (increase(${metric('waybill.audit.findings')}[1h])) > 0`,
    for: '0m',
    severity: 'ticket',
    summary: 'Rows that nobody would have woken were found and healed. That is a bug of Waybill: please report it.',
  },
];

const tried = `${metric('waybill.delivery.attempts')}{result=~"accepted|retry|refused|unknown"}`;
const accepted = `${metric('waybill.delivery.attempts')}{result="accepted"}`;

const SUCCESS_RATE: Recording = {
  record: 'waybill:delivery_success:ratio_rate5m',
  expr: `sum by (destination) (rate(${accepted}[5m])) / (sum by (destination) (rate(${tried}[5m])) > 0)`,
  labels: {},
};

/** All rules that follow from the limits. Pure: the same limits give the same rules. */
export function alertRules(limits: readonly Limit[]): RuleFile {
  return {
    groups: [
      { name: 'waybill', rules: [SUCCESS_RATE, ...GENERAL] },
      ...limits.map((limit) => ({ name: `waybill-limit-${limit.id}`, rules: limitRules(limit) })),
    ],
  };
}
