import type { SqlEntityManager } from '@mikro-orm/postgresql';

import { enqueue } from '../../src/drivers/mikro-orm.ts';
import { type Order, OrderPlaced } from './order.ts';

export async function placeOrder(em: SqlEntityManager, order: Order): Promise<void> {
  await em.transactional(async (tx) => {
    tx.persist(tx.create('Order', { id: order.orderId }));
    await enqueue(tx, OrderPlaced, order);
  });
}
