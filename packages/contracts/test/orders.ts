/** A small contract package that the tests share. */
import { Type } from '@sinclair/typebox';
import { defineContracts } from '../src/definition/contract-package.ts';
import { defineMessage } from '../src/definition/define-message.ts';
import type { DeliverySpecification } from '../src/definition/delivery-specification.ts';
import { defineEvent } from '../src/definition/event.ts';

export const delivery: DeliverySpecification = {
  guarantee: 'at-least-once',
  boundary: 'the subscriber answered 2xx',
  duplicates: 'subscribers drop a repeated message id',
  retryHorizon: 'three days, then dead letter',
  recoveryOwner: 'orders team',
  recordOwner: 'orders team',
  status: 'accepted',
};

export const OrderV1 = Type.Object({ id: Type.Integer(), buyer: Type.String() });
export const OrderV2 = Type.Object({
  id: Type.Integer(),
  buyer: Type.Object({ name: Type.String() }),
  note: Type.Optional(Type.String({ 'x-absent': { means: 'no note' } })),
});
export const OrderV3 = Type.Object({
  id: Type.String(),
  buyer: Type.Object({ name: Type.String() }),
  note: Type.Optional(Type.String()),
});

export const OrderPlacedEvent = defineEvent({
  id: 'EVT-ORDER-PLACED',
  title: 'An order was placed',
  raises: 'checkout',
  reactsTo: ['billing'],
});

export const OrderPlaced = defineMessage({
  type: 'orders.order-placed',
  kind: 'integration-event',
  event: 'EVT-ORDER-PLACED',
  recordKey: (order) => `Order/${order.id}`,
  versions: { 1: OrderV1, 2: OrderV2, 3: OrderV3 },
  upcast: {
    2: (order) => ({ id: order.id, buyer: { name: order.buyer } }),
    3: (order) => ({ ...order, id: String(order.id) }),
  },
  downcast: { 3: (order) => ({ ...order, id: Number(order.id) }) },
  delivery,
});

export const ChargeCard = defineMessage({
  type: 'orders.charge-card',
  kind: 'provider-side-effect',
  recordKey: null,
  versions: { 1: Type.Object({ cents: Type.Integer({ minimum: 1 }) }) },
  delivery,
  idempotency: { class: 'external', contract: 'the provider honours the idempotency key, which is the message id' },
});

export const orders = defineContracts({
  name: '@acme/orders-contracts',
  messages: [OrderPlaced, ChargeCard],
  events: [OrderPlacedEvent],
});
