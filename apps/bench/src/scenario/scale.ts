import { type Drained } from '../measure/drain.ts';
import { drainInRounds, entryOf, peersOf, ratesOf, spreadOf } from '../measure/rounds.ts';
import { pairedRatio } from '../statistics/statistics.ts';
import type { Bench, Scenario } from './scenario.ts';

const SIZES: Readonly<Record<Bench['size'], { readonly count: number; readonly rounds: number }>> = {
  full: { count: 60_000, rounds: 2 },
  short: { count: 20_000, rounds: 1 },
  quick: { count: 5_000, rounds: 1 },
  tiny: { count: 400, rounds: 1 },
};
const PROCESSES = 4;
const ONE = 'one process';

export const scaleScenario: Scenario = {
  name: 'scale',
  title: 'four dispatcher processes instead of one',
  async run(bench) {
    const { count, rounds: times } = SIZES[bench.size];
    const load = { count, keys: 0, bytes: 300 };
    const rounds = await drainInRounds(
      bench,
      [entryOf('waybill', load, { processes: PROCESSES }), entryOf('waybill', load, { name: ONE })],
      times,
    );
    return {
      measures: [
        {
          label: `${PROCESSES} processes`,
          value: rounds.rates['waybill'] ?? Number.NaN,
          unit: 'messages/s',
          peers: peersOf(rounds.rates),
          ratio: pairedRatio(ratesOf(rounds, 'waybill'), ratesOf(rounds, ONE)),
          against: ONE,
          // No loss, but for what two measurements of the same thing differ by.
          target: { atLeast: 0.95 },
          spread: spreadOf(rounds, 'waybill'),
        },
      ],
      faults: [...rounds.faults, ...[...rounds.drained.values()].flat().flatMap(databaseFaults)],
    };
  },
};

/** A statement that deadlocks or cannot be serialised rolls back, whether anybody reports it or not. */
function databaseFaults({ deadlocks, rollbacks }: Drained): readonly string[] {
  return [
    ...(deadlocks > 0 ? [`${deadlocks} deadlocks`] : []),
    ...(rollbacks > 0 ? [`${rollbacks} statements failed`] : []),
  ];
}
