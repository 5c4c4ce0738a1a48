import type { Knex } from 'knex';

import { enqueue } from '../../src/drivers/knex.ts';
import { type Order, OrderPlaced } from './order.ts';

export async function placeOrder(knex: Knex, order: Order): Promise<void> {
  await knex.transaction(async (trx) => {
    await trx('orders').insert({ id: order.orderId });
    await enqueue(trx, OrderPlaced, order);
  });
}
