import { createDatabase, dropDatabase } from '@waybill/local-postgres';
import { liveDispatchers, openStore } from '@waybill/store';
import { connectPg } from '@waybill/store/pg';
import { openProbe } from '../measure/probe.ts';
import { processCpuMs } from '../measure/process-cpu.ts';
import { startConsumer } from '../process/consumer.ts';
import { runTask } from '../process/run-task.ts';
import type { Bench, Scenario } from './scenario.ts';

const SIZES: Readonly<Record<Bench['size'], { readonly ms: number }>> = {
  // Whole intervals of the sampler: of one that comes every 15 s, 20 s may hold one look or two.
  full: { ms: 60_000 },
  short: { ms: 10_000 },
  quick: { ms: 5_000 },
  tiny: { ms: 3_000 },
};
/** To slow down to the idle interval, once it is there. */
const SETTLE_MS = 4_000;

export const idleScenario: Scenario = {
  name: 'idle',
  title: 'a dispatcher with nothing to do',
  async run(bench) {
    const { ms } = SIZES[bench.size];
    const url = await createDatabase(bench.server.url);
    await runTask({ kind: 'set-up', contender: 'waybill', url });
    // Watched from another database, so that looking is not counted.
    const probe = await openProbe(bench.server.url);
    const consumer = startConsumer('waybill', url, { expected: 0, work: { kind: 'nothing' } });
    await untilRegistered(url);
    await pause(SETTLE_MS);
    const look = async (): Promise<readonly [number, number, number]> => [
      bench.now(),
      await probe.transactionsOf(url),
      await processCpuMs(consumer.pid),
    ];
    const [startedAt, transactionsBefore, cpuBefore] = await look();
    await pause(ms);
    const [endedAt, transactionsAfter, cpuAfter] = await look();
    await consumer.stop();
    await probe.close();
    await dropDatabase(url);
    const statements = ((transactionsAfter - transactionsBefore) * 1_000) / (endedAt - startedAt);
    const core = (cpuAfter - cpuBefore) / (endedAt - startedAt);
    return {
      measures: [
        {
          label: 'statements',
          value: statements,
          unit: 'statements/s',
          peers: {},
          ratio: statements,
          against: 'itself',
          target: { atMost: 2 },
        },
        {
          label: 'CPU',
          value: 100 * core,
          unit: '% of a core',
          peers: {},
          ratio: 100 * core,
          against: 'itself',
          target: { atMost: 1 },
        },
      ],
      faults: [],
    };
  },
};

/** On a busy machine a process takes long to start, and what that costs is not what it costs at rest. */
async function untilRegistered(url: string): Promise<void> {
  const database = connectPg({ url, max: 1 });
  const store = openStore(database);
  while ((await liveDispatchers(store)).dispatchers.length === 0) await pause(100);
  await database.close();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
