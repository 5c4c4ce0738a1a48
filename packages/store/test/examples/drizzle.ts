import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';

import { enqueue } from '../../src/drivers/drizzle.ts';
import { type Order, OrderPlaced } from './order.ts';

const orders = pgTable('orders', { id: text().primaryKey() });

export async function placeOrder(db: NodePgDatabase, order: Order): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.insert(orders).values({ id: order.orderId });
    await enqueue(tx, OrderPlaced, order);
  });
}
