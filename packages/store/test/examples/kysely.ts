import type { Kysely } from 'kysely';

import { enqueue } from '../../src/drivers/kysely.ts';
import { type Order, OrderPlaced } from './order.ts';

export async function placeOrder(db: Kysely<{ orders: { id: string } }>, order: Order): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.insertInto('orders').values({ id: order.orderId }).execute();
    await enqueue(trx, OrderPlaced, order);
  });
}
