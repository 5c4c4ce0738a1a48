import type { BrokerAddress, BrokerName } from '../broker/broker.ts';
import type { DirectMode } from '../broker/publish-direct.ts';
import { startBroker } from '../broker/start-broker.ts';
import type { Load } from '../load/sample.ts';
import { drain } from '../measure/drain.ts';
import { faultsOf } from '../measure/rounds.ts';
import { runTask } from '../process/run-task.ts';
import { median, pairedRatio, spread } from '../statistics/statistics.ts';
import type { Bench, Findings, Measure, Scenario } from './scenario.ts';

const SIZES: Readonly<
  Record<Bench['size'], { readonly count: number; readonly keys: number; readonly rounds: number }>
> = {
  full: { count: 50_000, keys: 5_000, rounds: 3 },
  short: { count: 20_000, keys: 2_000, rounds: 2 },
  quick: { count: 2_000, keys: 200, rounds: 1 },
  tiny: { count: 300, keys: 30, rounds: 1 },
};
const BYTES = 300;
const MODES: readonly DirectMode[] = ['in-order', 'pipelined'];

/** A scenario for each broker: from the committed message to the broker's acknowledgement, in order per key. */
export const BROKER_SCENARIOS: Readonly<Record<BrokerName, Scenario>> = {
  'nats-jetstream': brokerScenario('nats-jetstream'),
  rabbitmq: brokerScenario('rabbitmq'),
  'redis-streams': brokerScenario('redis-streams'),
  kafka: brokerScenario('kafka'),
};

function brokerScenario(name: BrokerName): Scenario {
  return {
    name,
    title: `from commit to the acknowledgement of ${name}, in order per key`,
    async run(bench) {
      const started = await startBroker(name, bench.searchPath);
      if ('missing' in started) return skipped(`skipped: ${started.missing} is not installed`);
      try {
        return await measure(bench, started.running.address);
      } finally {
        await started.running.stop();
      }
    },
  };
}

async function measure(bench: Bench, address: BrokerAddress): Promise<Findings> {
  const { count, keys, rounds } = SIZES[bench.size];
  const load: Load = { count, keys, bytes: BYTES };
  const ours: number[] = [];
  const direct: Record<DirectMode, number[]> = { 'in-order': [], pipelined: [] };
  const faults: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    await runTask({ kind: 'prepare-broker', address });
    const drained = await drain(bench.server, { contender: 'waybill', load, publishTo: address });
    const held = await runTask({ kind: 'count-broker', address });
    faults.push(...faultsOf({ name: address.broker, contender: 'waybill', load }, drained));
    if (held !== null && held < count) faults.push(`${address.broker}: the broker has ${held} of ${count} messages`);
    ours.push(drained.rate);
    for (const mode of MODES) direct[mode].push(await runTask({ kind: 'publish-direct', address, load, mode }));
    bench.say(`  round ${round}: ${describe(drained.rate, direct)}`);
  }
  return { measures: [measureOf(ours, direct, load)], faults };
}

function describe(rate: number, direct: Readonly<Record<DirectMode, readonly number[]>>): string {
  const peers = MODES.map((mode) => `${mode} ${Math.round(direct[mode].at(-1) ?? Number.NaN)}/s`);
  return `${Math.round(rate)}/s, the client alone ${peers.join(', ')}`;
}

function measureOf(
  ours: readonly number[],
  direct: Readonly<Record<DirectMode, readonly number[]>>,
  { count, keys }: Load,
): Measure {
  return {
    label: `${count} messages, ${keys} keys`,
    value: median([...ours]),
    unit: 'messages/s',
    peers: Object.fromEntries(MODES.map((mode) => [`client, ${mode}`, median(direct[mode])])),
    ratio: pairedRatio(ours, direct['in-order']),
    against: 'the client alone, in order per key',
    target: { atLeast: 0.5 },
    spread: spread([...ours]),
  };
}

function skipped(label: string): Findings {
  const value = Number.NaN;
  return {
    measures: [{ label, value, unit: '', peers: {}, ratio: value, against: 'nothing', target: null }],
    faults: [],
  };
}
