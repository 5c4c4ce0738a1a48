import type { DataSource } from 'typeorm';

import { enqueue } from '../../src/drivers/typeorm.ts';
import { type Order, OrderPlaced } from './order.ts';

export async function placeOrder(dataSource: DataSource, order: Order): Promise<void> {
  await dataSource.transaction(async (manager) => {
    await manager.insert('orders', { id: order.orderId });
    await enqueue(manager, OrderPlaced, order);
  });
}
