import type postgres from 'postgres';

import { enqueue } from '../../src/drivers/postgres.ts';
import { type Order, OrderPlaced } from './order.ts';

export async function placeOrder(sql: postgres.Sql, order: Order): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`insert into orders (id) values (${order.orderId})`;
    await enqueue(tx, OrderPlaced, order);
  });
}
