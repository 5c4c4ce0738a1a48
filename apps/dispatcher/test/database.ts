import type { AnyMessage, PayloadOf } from '@waybill/contracts';
import { enqueue } from '@waybill/store/pg';
import pg from 'pg';

/** Connects for as long as the callback runs. */
export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // some tests end every connection of the database
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Enqueues one message in a transaction of its own, and gives its id. */
export async function send<M extends AnyMessage>(url: string, message: M, payload: PayloadOf<M>): Promise<string> {
  return withClient(url, async (client) => {
    await client.query('begin');
    const { id } = await enqueue(client, message, payload);
    await client.query('commit');
    return id;
  });
}

/** What a query finds. */
export async function rows(url: string, sql: string): Promise<readonly unknown[]> {
  return withClient(url, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);
}
