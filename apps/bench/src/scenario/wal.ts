import type { ContenderName } from '../contender/contenders.ts';
import type { Drained } from '../measure/drain.ts';
import { drainInRounds, entryOf, peersOf, type Rounds } from '../measure/rounds.ts';
import { median } from '../statistics/statistics.ts';
import type { Bench, Measure, Scenario } from './scenario.ts';

const SIZES: Readonly<Record<Bench['size'], { readonly count: number }>> = {
  full: { count: 10_000 },
  short: { count: 3_000 },
  quick: { count: 1_000 },
  tiny: { count: 300 },
};
const CONTENDERS: Readonly<Record<Bench['size'], readonly ContenderName[]>> = {
  full: ['waybill', 'graphile-worker', 'pg-boss', 'naive', 'limit'],
  short: ['waybill', 'graphile-worker', 'pg-boss', 'naive', 'limit'],
  quick: ['waybill', 'graphile-worker', 'limit'],
  tiny: ['waybill', 'graphile-worker'],
};

export const walScenario: Scenario = {
  name: 'wal',
  title: 'WAL of a message, from enqueue to settled',
  async run(bench) {
    const faults: string[] = [];
    const measured = async (bytes: number): Promise<Rounds> => {
      const load = { ...SIZES[bench.size], keys: 0, bytes };
      const entries = CONTENDERS[bench.size].map((contender) => entryOf(contender, load));
      const rounds = await drainInRounds(bench, entries, 1);
      faults.push(...rounds.faults);
      return rounds;
    };
    const large = await measured(8_192);
    const small = await measured(300);
    const inAll = ({ walBytesWithFill }: Drained): number => walBytesWithFill;
    const toDrain = ({ walBytesPerMessage }: Drained): number => walBytesPerMessage;
    return {
      measures: [
        measureOf('payload of 8 kB, from enqueue to settled', large, inAll, { atMost: 0.5 }),
        measureOf('payload of 8 kB, from claim to settled', large, toDrain, null),
        measureOf('payload of 300 B, from enqueue to settled', small, inAll, null),
        measureOf('payload of 300 B, from claim to settled', small, toDrain, null),
      ],
      faults,
    };
  },
};

function measureOf(
  label: string,
  { drained }: Rounds,
  bytesOf: (drained: Drained) => number,
  target: Measure['target'],
): Measure {
  const bytes = Object.fromEntries([...drained].map(([name, results]) => [name, median(results.map(bytesOf))]));
  const value = bytes['waybill'] ?? Number.NaN;
  const ratio = value / (bytes['graphile-worker'] ?? Number.NaN);
  return { label, value, unit: 'bytes', peers: peersOf(bytes), ratio, against: 'graphile-worker', target };
}
