import type { ClientBase } from 'pg';
import { PgBoss } from 'pg-boss';
import type { Sample } from '../load/sample.ts';
import type { Contender } from './contender.ts';

const PLAIN = 'deliver';
const KEYED = 'deliver-in-order';
const BATCH = 500;
/** Batches of one queue at a time; with keys a batch holds one message of each. */
const LANES = 2;

export const pgBoss: Contender = {
  async setUp(url) {
    const boss = new PgBoss({ connectionString: url });
    await boss.start();
    await boss.createQueue(PLAIN);
    await boss.createQueue(KEYED, { policy: 'key_strict_fifo' });
    await boss.stop();
  },
  async openProducer(url) {
    const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
    await boss.start();
    return {
      enqueue: (client, sample) => boss.send(queueOf(sample), sample, { ...keyOf(sample), db: databaseOf(client) }),
      fill: (client, samples) =>
        boss.insert(
          samples[0] === undefined ? PLAIN : queueOf(samples[0]),
          samples.map((sample) => ({ data: sample, ...keyOf(sample) })),
          { db: databaseOf(client) },
        ),
      close: () => boss.stop(),
    };
  },
  async consume(url, handle) {
    const boss = new PgBoss({ connectionString: url, max: 2 * LANES + 2 });
    await boss.start();
    const options = {
      batchSize: BATCH,
      localConcurrency: LANES,
      pollingIntervalSeconds: 0.5,
      burstWhenBatchFull: true,
    };
    for (const queue of [PLAIN, KEYED]) {
      await boss.work<Sample>(queue, options, async (jobs) => {
        await Promise.all(jobs.map(({ data }) => handle(data)));
      });
    }
    return { stop: () => boss.stop({ graceful: false }) };
  },
};

function queueOf(sample: Sample): string {
  return sample.key === '' ? PLAIN : KEYED;
}

function keyOf(sample: Sample): { readonly singletonKey?: string } {
  return sample.key === '' ? {} : { singletonKey: sample.key };
}

function databaseOf(client: ClientBase): {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
} {
  return { executeSql: (text, values) => client.query<Record<string, unknown>>(text, values) };
}
