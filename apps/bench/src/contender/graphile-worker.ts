import { Logger, run, runMigrations } from 'graphile-worker';
import pg, { type ClientBase } from 'pg';
import type { Sample } from '../load/sample.ts';
import { CONCURRENCY, type Contender } from './contender.ts';

const TASK = 'deliver';
const silent = new Logger(() => () => undefined);

export const graphileWorker: Contender = {
  setUp: (url) => runMigrations({ connectionString: url, logger: silent }),
  openProducer: () =>
    Promise.resolve({
      enqueue: (client, sample) =>
        client.query('select graphile_worker.add_job($1, $2::json, $3)', [
          TASK,
          JSON.stringify(sample),
          sample.key === '' ? null : sample.key,
        ]),
      fill,
      close: () => Promise.resolve(),
    }),
  async consume(url, handle) {
    const pool = new pg.Pool({ connectionString: url, max: CONCURRENCY + 4 });
    // It asks for one; what it cannot use any more it replaces.
    pool.on('error', () => undefined);
    const runner = await run({
      pgPool: pool,
      logger: silent,
      noHandleSignals: true,
      preset: {
        worker: {
          concurrentJobs: CONCURRENCY,
          localQueue: { size: 500 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          pollInterval: 100,
        },
      },
      // Samples are what the producer has put in.
      taskList: { [TASK]: (payload) => handle(payload as Sample) },
    });
    return {
      async stop() {
        await runner.stop();
        await pool.end();
      },
    };
  },
};

async function fill(client: ClientBase, samples: readonly Sample[]): Promise<void> {
  const specs = samples.map((sample) => ({
    identifier: TASK,
    payload: sample,
    ...(sample.key === '' ? {} : { queueName: sample.key }),
  }));
  await client.query(
    `select graphile_worker.add_jobs(array(
       select (s->>'identifier', s->'payload', s->>'queueName', null, null, null, null, null)::graphile_worker.job_spec
       from json_array_elements($1::json) with ordinality e (s, n) order by n))`,
    [JSON.stringify(specs)],
  );
}
