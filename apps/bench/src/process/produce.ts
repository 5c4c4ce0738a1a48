import pg, { type ClientBase } from 'pg';
import type { Contender } from '../contender/contender.ts';
import { type Load, type Sample, sampleOf, samplesOf } from '../load/sample.ts';

/** Large enough to amortise the transaction, small enough for every contender's statement. */
const FILL_BATCH = 1_000;

export async function transaction(client: ClientBase, work: () => Promise<unknown>): Promise<void> {
  await client.query('begin');
  await work();
  await client.query('commit');
}

/** Fills a queue. Gives messages a second. */
export async function fill(
  contender: Contender,
  { url, load }: { readonly url: string; readonly load: Load },
  now: () => number,
): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const producer = await contender.openProducer(url);
  const startedAt = now();
  for (let from = 0; from < load.count; from += FILL_BATCH) {
    const samples = samplesOf(load, from, Math.min(load.count, from + FILL_BATCH));
    await transaction(client, () => producer.fill(client, samples));
  }
  const seconds = (now() - startedAt) / 1_000;
  await producer.close();
  await client.end();
  return load.count / seconds;
}

/** Fills the backlog of one key that is stuck. Its messages are numbered from the end of the load on, and nobody is to see them. */
export async function fillStuck(
  contender: Contender,
  { url, load, count }: { readonly url: string; readonly load: Load; readonly count: number },
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const producer = await contender.openProducer(url);
  if (producer.fillLater === undefined) throw new TypeError('this contender cannot delay messages');
  const stuck = (index: number): Sample =>
    sampleOf({ n: load.count + index, key: 'Order/stuck', step: index }, load.bytes);
  await client.query('begin');
  await producer.fillLater(client, [stuck(0)]);
  await client.query('commit');
  for (let from = 1; from < count; from += FILL_BATCH) {
    const samples = Array.from({ length: Math.min(FILL_BATCH, count - from) }, (_, index) => stuck(from + index));
    await transaction(client, () => producer.fill(client, samples));
  }
  await producer.close();
  await client.end();
}

/** Enough connections for the steady rates of the scenarios. */
const STREAM_CONNECTIONS = 8;
const TICK_MS = 5;

/** Enqueues at a steady rate, one message a transaction. Gives when each transaction was about to commit. */
export async function stream(
  contender: Contender,
  { url, load, perSecond }: { readonly url: string; readonly load: Load; readonly perSecond: number },
  now: () => number,
): Promise<Float64Array> {
  const committedAt = new Float64Array(load.count);
  const pool = new pg.Pool({ connectionString: url, max: STREAM_CONNECTIONS });
  const producer = await contender.openProducer(url);
  const startedAt = now();
  const sends: Promise<void>[] = [];
  while (sends.length < load.count) {
    const due = Math.min(load.count, Math.ceil(((now() - startedAt) * perSecond) / 1_000));
    while (sends.length < due) sends.push(send(sends.length));
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await Promise.all(sends);
  await producer.close();
  await pool.end();
  return committedAt;

  async function send(n: number): Promise<void> {
    const client = await pool.connect();
    try {
      const key = load.keys === 0 ? '' : `Order/${n % load.keys}`;
      await transaction(client, async () => {
        await producer.enqueue(client, sampleOf({ n, key, step: 0 }, load.bytes));
        committedAt[n] = now();
      });
    } finally {
      client.release();
    }
  }
}
