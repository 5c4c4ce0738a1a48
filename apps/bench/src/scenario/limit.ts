import { drainInRounds, entryOf, peersOf, ratesOf, spreadOf } from '../measure/rounds.ts';
import { pairedRatio } from '../statistics/statistics.ts';
import type { Bench, Scenario } from './scenario.ts';

const SIZES: Readonly<Record<Bench['size'], { readonly count: number; readonly rounds: number }>> = {
  full: { count: 100_000, rounds: 3 },
  short: { count: 20_000, rounds: 2 },
  quick: { count: 5_000, rounds: 1 },
  tiny: { count: 300, rounds: 1 },
};

export const limitScenario: Scenario = {
  name: 'limit',
  title: 'drain beside the least SQL that keeps the guarantee',
  async run(bench) {
    const { count, rounds: times } = SIZES[bench.size];
    const load = { count, keys: 0, bytes: 300 };
    const rounds = await drainInRounds(bench, [entryOf('waybill', load), entryOf('limit', load)], times);
    return {
      measures: [
        {
          label: 'one delete and one insert a message',
          value: rounds.rates['waybill'] ?? Number.NaN,
          unit: 'messages/s',
          peers: peersOf(rounds.rates),
          ratio: pairedRatio(ratesOf(rounds, 'waybill'), ratesOf(rounds, 'limit')),
          against: 'limit',
          target: { atLeast: 0.5 },
          spread: spreadOf(rounds, 'waybill'),
        },
      ],
      faults: rounds.faults,
    };
  },
};
