import { createDatabase, dropDatabase } from '@waybill/local-postgres';
import { openProbe } from '../measure/probe.ts';
import { runTask } from '../process/run-task.ts';
import type { EnqueueTimes, Entrant } from '../process/task.ts';
import { median, spread } from '../statistics/statistics.ts';
import type { Bench, Measure, Scenario } from './scenario.ts';

const SIZES: Readonly<Record<Bench['size'], { readonly rounds: number; readonly perRound: number }>> = {
  full: { rounds: 15, perRound: 320 },
  short: { rounds: 5, perRound: 160 },
  quick: { rounds: 1, perRound: 32 },
  tiny: { rounds: 2, perRound: 16 },
};
const CONNECTIONS = [1, 16];
const PEERS = ['graphile-worker', 'pg-boss', 'pg-transactional-outbox', 'naive'] as const;
const BYTES = 300;

export const enqueueScenario: Scenario = {
  name: 'enqueue',
  title: 'what a message adds to a business transaction',
  async run(bench) {
    const urls = new Map<Entrant['name'], string>();
    for (const name of ['nothing', 'bare', 'waybill', ...PEERS] as const) urls.set(name, await prepare(bench, name));
    const entrants = [...urls].map(([name, url]) => ({ name, url }));
    const measures: Measure[] = [];
    for (const connections of CONNECTIONS) {
      const times = await runTask({ kind: 'enqueue', entrants, connections, ...SIZES[bench.size], bytes: BYTES });
      measures.push(...measuresOf(connections, addedMs(times)));
      bench.say(`  ${connections} connections, added ms: ${JSON.stringify(rounded(addedMs(times)))}`);
    }
    for (const url of urls.values()) await dropDatabase(url);
    const [first, ...rest] = measures;
    if (first === undefined) throw new TypeError('nothing was measured');
    return { measures: [first, ...rest], faults: [] };
  },
};

async function prepare({ server }: Bench, name: Entrant['name']): Promise<string> {
  const url = await createDatabase(server.url);
  const probe = await openProbe(url);
  await probe.query('create table business (n bigint not null, total bigint not null)');
  await probe.query(
    'create table bare (id bigint generated always as identity primary key, record_key text not null, payload json not null)',
  );
  await probe.close();
  if (name !== 'nothing' && name !== 'bare') await runTask({ kind: 'set-up', contender: name, url });
  return url;
}

/** By entrant and round: what its transaction takes beyond the one that writes no message, in the same round. */
function addedMs(times: EnqueueTimes): Readonly<Record<string, readonly number[]>> {
  const { nothing = [], ...others } = times;
  return Object.fromEntries(
    Object.entries(others).map(([name, rounds]) => [name, rounds.map((ms, round) => ms - (nothing[round] ?? 0))]),
  );
}

function rounded(added: Readonly<Record<string, readonly number[]>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(added).map(([name, rounds]) => [name, Number(median(rounds).toFixed(3))]));
}

function measuresOf(connections: number, added: Readonly<Record<string, readonly number[]>>): readonly Measure[] {
  const { waybill: ours = [], ...others } = added;
  const peers = rounded(others);
  const against = (name: string, target: Measure['target']): Measure => ({
    label: `${connections} ${connections === 1 ? 'connection' : 'connections'}, beside ${name}`,
    value: median(ours),
    unit: 'ms added',
    peers,
    ratio: median(ours) / (peers[name] ?? Number.NaN),
    against: name,
    target,
    spread: spread(ours),
  });
  return [
    against('graphile-worker', { atMost: 0.6 }),
    against('pg-boss', { atMost: 0.6 }),
    against('bare', { atMost: 1.5 }),
  ];
}
