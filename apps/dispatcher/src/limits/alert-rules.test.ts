import { spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { alertRules } from './alert-rules.ts';
import { type Limit, parseLimit } from './limit.ts';
import { loadLimits } from './load-limits.ts';
import { rulesText } from './rule.ts';

const WEIGHTS: Limit = {
  id: 'weights',
  useCase: 'Weights are known within a minute',
  objective: 0.999,
  withinSeconds: 60,
  windowDays: 30,
  destinations: ['scales', 'parcels.weigh'],
  alerts: { page: 'page', ticket: 'ticket', runbook: 'https://runbooks.example/weights' },
};
const ALL: Limit = { ...WEIGHTS, id: 'all', objective: 0.99, withinSeconds: 0.5, destinations: ['*'] };
const EXAMPLES = new URL('../../../examples/github-demo/limits', import.meta.url).pathname;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-rules-'));
  const limits = [...(await loadLimits(EXAMPLES)), WEIGHTS, ALL];
  await writeFile(join(folder, 'rules.yml'), rulesText(alertRules(limits)));
});

function promtool(...args: readonly string[]): void {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder });
  if (error !== undefined) throw new Error('promtool is not installed: apt-get install prometheus', { cause: error });
  expect([status, stderr.toString() + (status === 0 ? '' : stdout.toString())]).toEqual([0, '']);
}

test('W28 O05: the rules of the limits pass promtool', () => {
  promtool('check', 'rules', 'rules.yml');
});

type Series = Readonly<Record<string, string>>;

const UP = { 'waybill_dispatcher_info{build="a", instance="a"}': '1x60', 'waybill_store_up{instance="a"}': '1x60' };
const CALM: Series = {
  ...UP,
  'waybill_sample_age_seconds{instance="a"}': '5x60',
  'waybill_route_info{type="weigh", destination="scales", instance="a"}': '1x60',
  'waybill_route_info{type="other", destination="elsewhere", instance="a"}': '1x60',
  'waybill_message_oldest_age_seconds{type="weigh", version="1"}': '0x60',
  'waybill_message_waiting_for_reader{type="weigh", version="1"}': '0x60',
  'waybill_audit_findings_total{finding="waiting"}': '0x60',
  'waybill_delivery_dead_letters_total{type="weigh", destination="scales", reason="refused"}': '0x60',
  'waybill_delivery_latency_seconds_bucket{destination="scales", le="0.5"}': '0+100x60',
  'waybill_delivery_latency_seconds_bucket{destination="scales", le="60"}': '0+100x60',
  'waybill_delivery_latency_seconds_count{destination="scales"}': '0+100x60',
};

function without(...names: readonly string[]): Series {
  return Object.fromEntries(Object.entries(CALM).filter(([name]) => !names.some((start) => name.startsWith(start))));
}

/** Each incident with exactly the alerts that it raises after forty minutes; a summary of each is not compared. */
const INCIDENTS: readonly (readonly [string, Series, readonly string[]])[] = [
  ['nothing is wrong', CALM, []],
  ['every dispatcher stops, so that nobody tells anything', {}, ['WaybillNoDispatcher']],
  [
    'nothing is delivered while dispatchers run',
    {
      ...CALM,
      'waybill_delivery_latency_seconds_count{destination="scales"}': '0x60',
      'waybill_delivery_latency_seconds_bucket{destination="scales", le="60"}': '0x60',
      'waybill_delivery_latency_seconds_bucket{destination="scales", le="0.5"}': '0x60',
      'waybill_message_oldest_age_seconds{type="weigh", version="1"}': '0+60x60',
    },
    ['WaybillLimitOldest weights', 'WaybillLimitOldest all', 'WaybillLimitOldest code-host-events'],
  ],
  [
    'an old message of another destination is not the limit of this one',
    { ...CALM, 'waybill_message_oldest_age_seconds{type="other", version="1"}': '50x60' },
    ['WaybillLimitOldest all'],
  ],
  [
    'the store is away',
    { ...without('waybill_store_up', 'waybill_sample', 'waybill_message'), 'waybill_store_up{instance="a"}': '0x60' },
    ['WaybillStoreUnavailable', 'WaybillDispatcherStoreUnavailable'],
  ],
  [
    'one in ten is late',
    {
      ...CALM,
      'waybill_delivery_latency_seconds_bucket{destination="scales", le="0.5"}': '0+90x60',
      'waybill_delivery_latency_seconds_bucket{destination="scales", le="60"}': '0+90x60',
    },
    ['WaybillLimitBurns weights', 'WaybillLimitBurns all', 'WaybillLimitBurns code-host-events'],
  ],
  ['nobody looks at the store', without('waybill_sample', 'waybill_message'), ['WaybillReadingsMissing']],
  [
    'messages wait for a reader',
    { ...CALM, 'waybill_message_waiting_for_reader{type="weigh", version="2"}': '7x60' },
    ['WaybillNoReader'],
  ],
  [
    'rows waited for nobody',
    { ...CALM, 'waybill_audit_findings_total{finding="waiting"}': '0x30 1x29' },
    ['WaybillStrandedRows'],
  ],
  ['the gate is red', { ...CALM, 'waybill_gate_red{item="G1.2"}': '1x60' }, ['WaybillGateRed']],
  ['keys are held', { ...CALM, waybill_key_held: '2x60' }, ['WaybillKeysHeld']],
  [
    'messages are given up, too few for the limits',
    {
      ...CALM,
      'waybill_delivery_dead_letters_total{type="other", destination="elsewhere", reason="refused"}': '0x35 1x24',
      'waybill_delivery_latency_seconds_bucket{destination="scales", le="0.5"}': '0+100000x60',
      'waybill_delivery_latency_seconds_bucket{destination="scales", le="60"}': '0+100000x60',
      'waybill_delivery_latency_seconds_count{destination="scales"}': '0+100000x60',
    },
    ['WaybillDeadLetters'],
  ],
];

test.each(INCIDENTS)('W28 O05: %s', async (_what, series, expected) => {
  const names = [
    'WaybillNoDispatcher',
    'WaybillStoreUnavailable',
    'WaybillDispatcherStoreUnavailable',
    'WaybillReadingsMissing',
    'WaybillNoReader',
    'WaybillDeadLetters',
    'WaybillKeysHeld',
    'WaybillGateRed',
    'WaybillStrandedRows',
  ];
  const limits = ['weights', 'all', 'code-host-events'].flatMap((id) =>
    ['WaybillLimitOldest', 'WaybillLimitBurns'].map((alert) => `${alert} ${id}`),
  );
  // Counting firing alerts leaves labels and texts out of the comparison.
  const promql = [...names, ...limits].map((name) => {
    const [alert, limit] = name.split(' ');
    const labels = limit === undefined ? '' : `, limit="${limit}"`;
    const fires = expected.includes(name);
    return {
      expr: `count(ALERTS{alertname="${String(alert)}", alertstate="firing"${labels}}) > bool 0`,
      eval_time: '40m',
      exp_samples: fires ? [{ labels: '{}', value: 1 }] : [],
    };
  });
  const incident = {
    rule_files: ['rules.yml'],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: promql,
      },
    ],
  };
  await writeFile(join(folder, 'incident.yml'), JSON.stringify(incident));
  const { error, status, stderr, stdout } = spawnSync('promtool', ['test', 'rules', 'incident.yml'], { cwd: folder });
  if (error !== undefined) throw new Error('promtool is not installed: apt-get install prometheus', { cause: error });
  expect(status, stdout.toString() + stderr.toString()).toBe(0);
});

test('W28: every problem of a limit is told at once', () => {
  const { problems } = parseLimit({
    ...WEIGHTS,
    id: '',
    objective: 1,
    withinSeconds: 61,
    windowDays: 1.5,
    destinations: ['*', 'a'],
    alerts: { page: 'p', pager: 'x' },
    note: 1,
  });
  expect(problems.map((problem) => problem.split(':')[0])).toEqual([
    'id',
    'objective',
    'withinSeconds',
    'windowDays',
    'destinations',
    'alerts.ticket',
    'note',
    'alerts.pager',
  ]);
  expect(parseLimit(WEIGHTS)).toEqual({ limit: WEIGHTS, problems: [] });
  expect(parseLimit([]).problems).toHaveLength(1);
});
