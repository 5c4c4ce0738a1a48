import { createReaders } from '@waybill/contracts';
import { benchContracts, OrderPlaced } from '../load/contract.ts';
import { sampleOf } from '../load/sample.ts';
import { median, spread } from '../statistics/statistics.ts';
import type { Bench, Measure, Scenario } from './scenario.ts';

const SIZES: Readonly<Record<Bench['size'], { readonly perRound: number; readonly rounds: number }>> = {
  full: { perRound: 200_000, rounds: 7 },
  short: { perRound: 50_000, rounds: 5 },
  quick: { perRound: 20_000, rounds: 3 },
  tiny: { perRound: 5_000, rounds: 3 },
};
/** A payload as small as orders get, written in version 1, so that reading it takes the upcast too. */
const SMALL = JSON.stringify({ n: 17, key: 'Order/17', step: 3 });

export const readScenario: Scenario = {
  name: 'read',
  title: 'read path: parse, validate, upcast, validate',
  async run(bench) {
    const readers = createReaders([benchContracts]);
    const read = (text: string, version: number) => (): void => {
      const result = readers.read({ type: OrderPlaced.type, version, payload: text });
      if (result.status !== 'ok') throw new TypeError(result.reason);
    };
    const order = JSON.stringify(sampleOf({ n: 17, key: 'Order/17', step: 3 }, 300));
    return {
      measures: [
        measureOf(bench, `${SMALL.length} B, version 1 to 2`, [read(SMALL, 1), () => void JSON.parse(SMALL)], {
          atLeast: 100_000,
        }),
        measureOf(bench, `${order.length} B, version 2`, [read(order, 2), () => void JSON.parse(order)], null),
      ],
      faults: [],
    };
  },
};

function measureOf(
  bench: Bench,
  label: string,
  [read, parse]: readonly [() => void, () => void],
  target: Measure['target'],
): Measure {
  const { perRound, rounds } = SIZES[bench.size];
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(perSecond(bench, read, perRound));
    bare.push(perSecond(bench, parse, perRound));
  }
  const value = median(ours);
  return {
    label,
    value,
    unit: 'payloads a CPU second',
    peers: { 'JSON.parse': median(bare) },
    ratio: value,
    against: 'itself',
    target,
    spread: spread(ours),
  };
}

/** A second of CPU: what else runs on the machine does not count. */
function perSecond({ cpuMs }: Bench, act: () => void, times: number): number {
  const startedAt = cpuMs();
  for (let time = 0; time < times; time += 1) act();
  return (times * 1_000) / (cpuMs() - startedAt);
}
