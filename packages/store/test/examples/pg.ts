import type pg from 'pg';

import { enqueue } from '../../src/drivers/pg.ts';
import { type Order, OrderPlaced } from './order.ts';

export async function placeOrder(client: pg.PoolClient, order: Order): Promise<void> {
  await client.query('begin');
  await client.query('insert into orders (id) values ($1)', [order.orderId]);
  await enqueue(client, OrderPlaced, order);
  await client.query('commit');
}
