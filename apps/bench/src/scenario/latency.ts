import { createDatabase, dropDatabase } from '@waybill/local-postgres';
import type { ContenderName } from '../contender/contenders.ts';
import type { Load } from '../load/sample.ts';
import { untilHandled } from '../measure/drain.ts';
import { faultsOf } from '../measure/rounds.ts';
import { verdictOf } from '../measure/verdict.ts';
import { startConsumer } from '../process/consumer.ts';
import { runTask } from '../process/run-task.ts';
import { percentile } from '../statistics/statistics.ts';
import type { Bench, Measure, Scenario } from './scenario.ts';

const SIZES: Readonly<
  Record<
    Bench['size'],
    { readonly seconds: number; readonly rates: readonly number[]; readonly contenders: readonly ContenderName[] }
  >
> = {
  full: {
    seconds: 6,
    rates: [200, 2_000],
    contenders: ['waybill', 'graphile-worker', 'pg-boss', 'pg-transactional-outbox', 'naive'],
  },
  short: { seconds: 4, rates: [200, 2_000], contenders: ['waybill', 'graphile-worker', 'pg-boss'] },
  quick: { seconds: 2, rates: [200], contenders: ['waybill', 'graphile-worker', 'pg-boss'] },
  tiny: { seconds: 1, rates: [100], contenders: ['waybill', 'graphile-worker'] },
};

export const latencyScenario: Scenario = {
  name: 'latency',
  title: 'from commit to handler at a steady rate',
  async run(bench) {
    const { seconds, rates, contenders } = SIZES[bench.size];
    const faults: string[] = [];
    const measures: Measure[] = [];
    for (const perSecond of rates) {
      const p50: Record<string, number> = {};
      const p99: Record<string, number> = {};
      for (const contender of contenders) {
        const load = { count: perSecond * seconds, keys: 0, bytes: 300 };
        const { latencies, faults: found } = await measureLatency(bench, contender, load, perSecond);
        p50[contender] = percentile(latencies, 0.5);
        p99[contender] = percentile(latencies, 0.99);
        faults.push(...found);
        bench.say(
          `  ${contender} at ${perSecond}/s: p50 ${p50[contender].toFixed(1)} ms, p99 ${p99[contender].toFixed(1)} ms`,
        );
      }
      measures.push(...measuresOf(perSecond, { p50, p99 }));
    }
    const [first, ...rest] = measures;
    if (first === undefined) throw new TypeError('no rate was measured');
    return { measures: [first, ...rest], faults };
  },
};

/** The lower half of the tail does not depend on the first messages, which meet cold code. */
async function measureLatency(
  { server }: Bench,
  contender: ContenderName,
  load: Load,
  perSecond: number,
): Promise<{ readonly latencies: Float64Array; readonly faults: readonly string[] }> {
  const url = await createDatabase(server.url);
  await runTask({ kind: 'set-up', contender, url });
  const consumer = startConsumer(contender, url, { expected: load.count, work: { kind: 'nothing' } });
  const committedAt = await runTask({ kind: 'stream', contender, url, load, perSecond });
  await untilHandled([consumer], load.count);
  const tally = await consumer.stop();
  await dropDatabase(url);
  const verdict = verdictOf([tally], load.count);
  return {
    latencies: committedAt
      .map((at, n) => (tally.begunAt[n] ?? Number.NaN) - at)
      .slice(Math.floor(load.count * WARM_UP)),
    faults: faultsOf({ name: contender, contender, load }, { verdict }),
  };
}

/** The first part of the messages meets processes that have just started. */
const WARM_UP = 0.3;

function measuresOf(
  perSecond: number,
  { p50, p99 }: Readonly<Record<'p50' | 'p99', Readonly<Record<string, number>>>>,
): readonly Measure[] {
  const measure = (label: string, figures: Readonly<Record<string, number>>, target: Measure['target']): Measure => {
    const { waybill: value = Number.NaN, ...peers } = figures;
    return {
      label: `${perSecond}/s, ${label}`,
      value,
      unit: 'ms',
      peers,
      ratio: value / Math.min(...Object.values(peers)),
      against: 'the fastest peer',
      target,
    };
  };
  const below = { atMost: 1 };
  const measures = [measure('p50', p50, below), measure('p99', p99, below)];
  const ours = p50['waybill'] ?? Number.NaN;
  if (perSecond <= SLOW_RATE)
    measures.push({
      label: `${perSecond}/s, p50`,
      value: ours,
      unit: 'ms',
      peers: {},
      ratio: ours,
      against: 'itself',
      target: { atMost: 5 },
    });
  return measures;
}

/** Where a latency of milliseconds is asked for. */
const SLOW_RATE = 200;
