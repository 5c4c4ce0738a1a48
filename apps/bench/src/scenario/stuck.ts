import { drainInRounds, entryOf, peersOf, ratesOf, spreadOf } from '../measure/rounds.ts';
import { pairedRatio } from '../statistics/statistics.ts';
import type { Bench, Scenario } from './scenario.ts';

const SIZES: Readonly<
  Record<Bench['size'], { readonly count: number; readonly stuck: number; readonly rounds: number }>
> = {
  full: { count: 20_000, stuck: 100_000, rounds: 3 },
  short: { count: 10_000, stuck: 20_000, rounds: 1 },
  quick: { count: 2_000, stuck: 5_000, rounds: 1 },
  tiny: { count: 200, stuck: 1_000, rounds: 1 },
};
const FREE = 'nothing stuck';

export const stuckScenario: Scenario = {
  name: 'stuck',
  title: 'drain behind the backlog of one stuck key',
  async run(bench) {
    const { count, stuck, rounds: times } = SIZES[bench.size];
    const load = { count, keys: count, bytes: 300 };
    const rounds = await drainInRounds(
      bench,
      [entryOf('waybill', load, { stuck }), entryOf('waybill', load, { name: FREE })],
      times,
    );
    return {
      measures: [
        {
          label: `${stuck} messages of a key whose head is not due`,
          value: rounds.rates['waybill'] ?? Number.NaN,
          unit: 'messages/s',
          peers: peersOf(rounds.rates),
          ratio: pairedRatio(ratesOf(rounds, 'waybill'), ratesOf(rounds, FREE)),
          against: FREE,
          target: { atLeast: 0.4 },
          spread: spreadOf(rounds, 'waybill'),
        },
      ],
      faults: rounds.faults,
    };
  },
};
