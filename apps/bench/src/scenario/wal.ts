import { drainInRounds, entryOf, peersOf } from '../measure/rounds.ts';
import { median } from '../statistics/statistics.ts';
import type { Bench, Measure, Scenario } from './scenario.ts';

const SIZES: Readonly<Record<Bench['size'], { readonly count: number }>> = {
  full: { count: 10_000 },
  quick: { count: 1_000 },
  tiny: { count: 300 },
};
const CONTENDERS = ['waybill', 'graphile-worker', 'pg-boss', 'naive', 'limit'] as const;

export const walScenario: Scenario = {
  name: 'wal',
  title: 'WAL of a message, from enqueue to settled',
  async run(bench) {
    const faults: string[] = [];
    const measured = async (bytes: number): Promise<Readonly<Record<string, number>>> => {
      const load = { ...SIZES[bench.size], keys: 0, bytes };
      const rounds = await drainInRounds(
        bench,
        CONTENDERS.map((contender) => entryOf(contender, load)),
        1,
      );
      faults.push(...rounds.faults);
      return Object.fromEntries(
        [...rounds.drained].map(([name, drained]) => [
          name,
          median(drained.map(({ walBytesWithFill }) => walBytesWithFill)),
        ]),
      );
    };
    const large = await measured(8_192);
    const small = await measured(300);
    return {
      measures: [measureOf('payload of 8 kB', large, { atMost: 0.5 }), measureOf('payload of 300 B', small, null)],
      faults,
    };
  },
};

function measureOf(label: string, bytes: Readonly<Record<string, number>>, target: Measure['target']): Measure {
  const value = bytes['waybill'] ?? Number.NaN;
  return {
    label,
    value,
    unit: 'bytes',
    peers: peersOf(bytes),
    ratio: value / (bytes['graphile-worker'] ?? Number.NaN),
    against: 'graphile-worker',
    target,
  };
}
