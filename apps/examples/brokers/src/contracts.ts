import { type Static, Type } from '@sinclair/typebox';
import { type ContractPackage, defineContracts, defineEvent, defineMessage } from '@waybill/contracts';

const orderPlacedEvent = defineEvent({
  id: 'EVT-SHOP-ORDER-PLACED',
  title: 'An order was placed',
  raises: 'the shop, in the transaction that stores the order',
  reactsTo: ['billing writes an invoice'],
});

const OrderPlacedV1 = Type.Object({ order: Type.Integer(), customer: Type.String(), cents: Type.Integer() });

/** What the shop tells others. Orders of one customer stay in order. */
export const OrderPlaced = defineMessage({
  type: 'shop.order-placed',
  kind: 'integration-event',
  event: orderPlacedEvent.id,
  recordKey: ({ customer }) => `Customer/${customer}`,
  versions: { 1: OrderPlacedV1 },
  delivery: {
    guarantee: 'at-least-once',
    boundary: 'the broker has acknowledged the message',
    duplicates: 'the same message id may come again; consumers keep an inbox',
    retryHorizon: 'until the attempts of the retry policy are used up; then the record is a dead letter',
    recoveryOwner: 'the on-call engineer of the shop',
    recordOwner: 'the shop team',
    status: 'accepted',
  },
});
export type OrderPlaced = Static<typeof OrderPlacedV1>;

export const shopContracts: ContractPackage = defineContracts({
  name: '@waybill-examples/brokers',
  messages: [OrderPlaced],
  events: [orderPlacedEvent],
});
