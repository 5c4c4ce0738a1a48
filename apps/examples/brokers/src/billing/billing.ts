import { createReaders } from '@waybill/contracts';
import { installInbox, openStore } from '@waybill/store';
import { inbox, pgDatabase } from '@waybill/store/pg';
import type { Pool, PoolClient } from 'pg';
import { OrderPlaced, shopContracts } from '../contracts.ts';

/** A message as a broker hands it over: what of it is in the headers, and the body. */
export interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly body: string;
}

/** The consuming service, whatever brings it its messages. */
export interface Billing {
  /** Writes the invoice of an order, once however often the message comes. It rejects where the message should come again. */
  receive(delivery: Delivery): Promise<'first' | 'repeat'>;
  /** The same in a transaction of the caller's. */
  receiveIn(client: PoolClient, delivery: Delivery): Promise<'first' | 'repeat'>;
}

/** Makes the tables that billing needs: its invoices, and the inbox that remembers message ids. */
export async function openBilling(pool: Pool): Promise<Billing> {
  await installInbox(openStore(pgDatabase(pool)));
  await pool.query(
    'create table if not exists invoice (position serial, order_id integer, customer text, cents integer)',
  );
  return { receiveIn: book, receive: (delivery) => inTransaction(pool, (client) => book(client, delivery)) };
}

const readers = createReaders([shopContracts]);

async function book(client: PoolClient, { id, type, version, body }: Delivery): Promise<'first' | 'repeat'> {
  const read = readers.read({ type, version, payload: body }, 'newest');
  // The message waits at the broker for a build that can read it.
  if (read.status !== 'ok') throw new Error(`message ${id} cannot be read: ${read.status}`);
  const seen = await inbox(client, 'billing', id);
  if (seen === 'first' && type === OrderPlaced.type) {
    const { order, customer, cents } = read.payload as OrderPlaced; // what the reader has checked
    await client.query('insert into invoice (order_id, customer, cents) values ($1, $2, $3)', [order, customer, cents]);
  }
  return seen;
}

/** Commits what `work` did, or rolls it back. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    // Nothing is known of the connection any more, so that it is closed, which rolls back.
    client.release(true);
    throw error;
  }
}
