import { enqueue } from '@waybill/store/pg';
import type { Pool } from 'pg';
import { OrderPlaced } from '../contracts.ts';

const CUSTOMERS = ['ada', 'grace', 'linus'];

/** Stores orders, and with each of them, in the same transaction, the message that says so. */
export async function placeOrders(pool: Pool, count: number): Promise<void> {
  await pool.query('create table if not exists shop_order (id integer primary key, customer text, cents integer)');
  const client = await pool.connect();
  try {
    for (let order = 1; order <= count; order++) {
      const placed = { order, customer: CUSTOMERS[order % CUSTOMERS.length] ?? '', cents: order * 100 };
      await client.query('begin');
      await client.query('insert into shop_order values ($1, $2, $3)', [order, placed.customer, placed.cents]);
      await enqueue(client, OrderPlaced, placed);
      await client.query('commit');
    }
  } finally {
    // A connection in the middle of a transaction is not used again.
    client.release(true);
  }
}
