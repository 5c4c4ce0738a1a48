import { enqueue } from '../../src/drivers/prisma.ts';
import type { PrismaClient } from '../prisma-client.ts';
import { type Order, OrderPlaced } from './order.ts';

export async function placeOrder(prisma: PrismaClient, order: Order): Promise<void> {
  await prisma.$transaction(async (tx) => {
    await tx.$executeRawUnsafe('insert into orders (id) values ($1)', order.orderId);
    await enqueue(tx, OrderPlaced, order);
  });
}
