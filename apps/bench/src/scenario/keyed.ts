import { drainInRounds, entryOf, peersOf, ratesOf, spreadOf } from '../measure/rounds.ts';
import { pairedRatio } from '../statistics/statistics.ts';
import type { Bench, Scenario } from './scenario.ts';

const SIZES: Readonly<
  Record<
    Bench['size'],
    { readonly count: number; readonly keys: number; readonly peerCount: number; readonly rounds: number }
  >
> = {
  full: { count: 100_000, keys: 5_000, peerCount: 20_000, rounds: 3 },
  short: { count: 20_000, keys: 1_000, peerCount: 4_000, rounds: 1 },
  quick: { count: 5_000, keys: 250, peerCount: 1_000, rounds: 1 },
  tiny: { count: 400, keys: 20, peerCount: 100, rounds: 1 },
};
const BYTES = 300;

export const keyedScenario: Scenario = {
  name: 'keyed',
  title: 'drain a filled queue in order per key',
  async run(bench) {
    const { count, keys, peerCount, rounds: times } = SIZES[bench.size];
    const rounds = await drainInRounds(
      bench,
      [
        entryOf('waybill', { count, keys, bytes: BYTES }),
        // The same number of keys, each with fewer messages: named queues cost by key and by message.
        entryOf('graphile-worker', { count: peerCount, keys, bytes: BYTES }),
        entryOf('pg-boss', { count: peerCount, keys, bytes: BYTES }),
      ],
      times,
    );
    return {
      measures: [
        {
          label: `${keys} keys`,
          value: rounds.rates['waybill'] ?? Number.NaN,
          unit: 'messages/s',
          peers: peersOf(rounds.rates),
          ratio: pairedRatio(ratesOf(rounds, 'waybill'), ratesOf(rounds, 'graphile-worker')),
          against: 'graphile-worker, named queues',
          target: { atLeast: 3 },
          spread: spreadOf(rounds, 'waybill'),
        },
      ],
      faults: rounds.faults,
    };
  },
};
