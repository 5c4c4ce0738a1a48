/** What the examples of the README enqueue. */
import { Type } from '@sinclair/typebox';
import { defineMessage, type Message } from '@waybill/contracts';

import { delivery } from '../messages.ts';

export interface Order {
  readonly orderId: string;
}

const versions = { 1: Type.Object({ orderId: Type.String() }) };

export const OrderPlaced: Message<typeof versions> = defineMessage({
  type: 'shop.order-placed',
  kind: 'journey-step-command',
  recordKey: (order) => `Order/${order.orderId}`,
  versions,
  delivery,
});
