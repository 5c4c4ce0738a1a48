import { drainInRounds, entryOf, peersOf, ratesOf, spreadOf } from '../measure/rounds.ts';
import { pairedRatio } from '../statistics/statistics.ts';
import type { Bench, Scenario } from './scenario.ts';

const SIZES: Readonly<
  Record<Bench['size'], { readonly count: number; readonly peerCount: number; readonly rounds: number }>
> = {
  full: { count: 20_000, peerCount: 500, rounds: 3 },
  short: { count: 10_000, peerCount: 200, rounds: 1 },
  quick: { count: 2_000, peerCount: 50, rounds: 1 },
  tiny: { count: 200, peerCount: 10, rounds: 1 },
};
const BYTES = 300;
const UNKEYED = 'waybill without keys';

export const hotScenario: Scenario = {
  name: 'hot',
  title: 'drain one hot key, in order',
  async run(bench) {
    const { count, peerCount, rounds: times } = SIZES[bench.size];
    const rounds = await drainInRounds(
      bench,
      [
        entryOf('waybill', { count, keys: 1, bytes: BYTES }),
        entryOf('waybill', { count, keys: 0, bytes: BYTES }, { name: UNKEYED }),
        entryOf('graphile-worker', { count: peerCount, keys: 1, bytes: BYTES }),
        entryOf('pg-boss', { count: Math.min(peerCount, MOST_OF_PG_BOSS), keys: 1, bytes: BYTES }),
      ],
      times,
    );
    const ours = {
      value: rounds.rates['waybill'] ?? Number.NaN,
      unit: 'messages/s',
      peers: peersOf(rounds.rates),
      spread: spreadOf(rounds, 'waybill'),
    };
    const against = (name: string): number => pairedRatio(ratesOf(rounds, 'waybill'), ratesOf(rounds, name));
    return {
      measures: [
        {
          ...ours,
          label: 'one key',
          ratio: against('graphile-worker'),
          against: 'graphile-worker, one named queue',
          target: { atLeast: 100 },
        },
        { ...ours, label: 'one key', ratio: against(UNKEYED), against: UNKEYED, target: { atLeast: 0.25 } },
      ],
      faults: rounds.faults,
    };
  },
};

// It hands out one message of a key at each poll, and polls twice a second at most.
const MOST_OF_PG_BOSS = 10;
