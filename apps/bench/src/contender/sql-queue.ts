import pg, { type ClientBase, type Pool } from 'pg';
import type { Sample } from '../load/sample.ts';
import type { Contender, Handle } from './contender.ts';

/** A row of a queue in plain SQL. */
export interface QueueRow {
  readonly id: string;
  readonly payload: Sample;
}

/** The statements of a queue that is nothing but SQL. */
export interface SqlQueue {
  readonly create: string;
  /** $1: keys, $2: payloads, both as arrays. */
  readonly insert: string;
  /** Takes a batch, hands its rows to `handle`, and settles them. Gives how many there were. */
  readonly takeBatch: (pool: Pool, handle: Handle) => Promise<number>;
}

/** Two batches at a time keep the database and the process busy. */
const LANES = 2;
const IDLE_MS = 5;

export function sqlContender({ create, insert, takeBatch }: SqlQueue): Contender {
  const put = async (client: ClientBase, samples: readonly Sample[]): Promise<void> => {
    await client.query(insert, [samples.map(({ key }) => key), samples.map((sample) => JSON.stringify(sample))]);
  };
  return {
    async setUp(url) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(create);
      await client.end();
    },
    openProducer: () =>
      Promise.resolve({
        enqueue: (client, sample) => put(client, [sample]),
        fill: put,
        close: () => Promise.resolve(),
      }),
    async consume(url, handle) {
      const pool = new pg.Pool({ connectionString: url, max: 2 * LANES });
      const stopping = new AbortController();
      const lanes = Array.from({ length: LANES }, async () => {
        while (!stopping.signal.aborted) if ((await takeBatch(pool, handle)) === 0) await pause(IDLE_MS);
      });
      return {
        async stop() {
          stopping.abort();
          await Promise.all(lanes);
          await pool.end();
        },
      };
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
