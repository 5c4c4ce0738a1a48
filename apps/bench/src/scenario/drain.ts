import type { ContenderName } from '../contender/contenders.ts';
import { withReceiver } from '../measure/receiver.ts';
import { drainInRounds, entryOf, peersOf, type Rounds, ratesOf, spreadOf } from '../measure/rounds.ts';
import type { Work } from '../process/handler.ts';
import { median, pairedRatio } from '../statistics/statistics.ts';
import type { Bench, Measure, Scenario } from './scenario.ts';

interface DrainSize {
  readonly count: number;
  /** Of those that would take minutes. */
  readonly slowCount: number;
  readonly rounds: number;
  /** With handlers that take their time. */
  readonly workCount: number;
}

const SIZES: Readonly<Record<Bench['size'], DrainSize>> = {
  full: { count: 100_000, slowCount: 5_000, rounds: 3, workCount: 20_000 },
  short: { count: 20_000, slowCount: 500, rounds: 2, workCount: 4_000 },
  quick: { count: 5_000, slowCount: 500, rounds: 1, workCount: 1_000 },
  tiny: { count: 300, slowCount: 50, rounds: 1, workCount: 50 },
};
const PEERS = ['graphile-worker', 'pg-boss', 'pg-transactional-outbox'] as const satisfies readonly ContenderName[];
const ALL = ['waybill', ...PEERS, 'naive', 'limit'] as const satisfies readonly ContenderName[];
const WORKING: Readonly<Record<Bench['size'], readonly ContenderName[]>> = {
  full: ['waybill', 'graphile-worker', 'pg-boss', 'naive'],
  short: ['waybill', 'graphile-worker', 'pg-boss'],
  quick: ['waybill', 'graphile-worker'],
  tiny: ['waybill', 'naive'],
};
const SLOW: ReadonlySet<ContenderName> = new Set(['pg-transactional-outbox']);
const BYTES = 300;

export const drainScenario: Scenario = {
  name: 'drain',
  title: 'drain a filled queue, without keys',
  async run(bench) {
    const { count, slowCount, rounds, workCount } = SIZES[bench.size];
    const compare = (contenders: readonly ContenderName[], most: number, times: number, work: Work): Promise<Rounds> =>
      drainInRounds(
        bench,
        contenders.map((contender) =>
          entryOf(
            contender,
            { count: SLOW.has(contender) ? Math.min(most, slowCount) : most, keys: 0, bytes: BYTES },
            { work },
          ),
        ),
        times,
      );
    const nothing = await compare(ALL, count, rounds, { kind: 'nothing' });
    const waiting = await compare(WORKING[bench.size], workCount, 1, { kind: 'wait', ms: 1 });
    const posting = await withReceiver((url) => compare(WORKING[bench.size], workCount, 1, { kind: 'post', url }));
    return {
      measures: [
        measureOf(`${count} messages, a handler that does nothing`, nothing, { atLeast: 1.5 }),
        cpuMeasureOf(nothing),
        measureOf('a handler that waits 1 ms', waiting, null),
        measureOf('a handler that posts over HTTP', posting, null),
      ],
      faults: [nothing, waiting, posting].flatMap(({ faults }) => faults),
    };
  },
};

function measureOf(label: string, rounds: Rounds, target: Measure['target']): Measure {
  const fastest = fastestPeer(rounds.rates);
  return {
    label,
    value: rounds.rates['waybill'] ?? Number.NaN,
    unit: 'messages/s',
    peers: peersOf(rounds.rates),
    ratio: pairedRatio(ratesOf(rounds, 'waybill'), ratesOf(rounds, fastest)),
    against: fastest,
    target,
    spread: spreadOf(rounds, 'waybill'),
  };
}

/** Of the peers that were measured; the naive outbox stands in where none was. */
function fastestPeer(rates: Readonly<Record<string, number>>): ContenderName {
  const [first = 'naive', ...others]: readonly ContenderName[] = PEERS.filter((name) => name in rates);
  return others.reduce((fastest, name) => ((rates[name] ?? 0) > (rates[fastest] ?? 0) ? name : fastest), first);
}

/** Both sides together: what a message costs whoever pays for the machine, whatever else runs on it. */
function cpuMeasureOf({ drained, rates }: Rounds): Measure {
  const micros = Object.fromEntries(
    [...drained].map(([name, results]) => [
      name,
      median(results.map((result) => result.cpuMicrosPerMessage + result.serverCpuMicrosPerMessage)),
    ]),
  );
  const { waybill: value = Number.NaN, ...peers } = micros;
  const against = fastestPeer(rates);
  const ratio = value / (micros[against] ?? Number.NaN);
  return { label: 'CPU of a message, process and PostgreSQL', value, unit: 'us', peers, ratio, against, target: null };
}
