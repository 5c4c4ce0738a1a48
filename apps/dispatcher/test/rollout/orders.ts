/** Two releases of a shop's contracts: what the rollout guide goes forward and back with. */
import { Type } from '@sinclair/typebox';
import { type ContractPackage, defineContracts, defineMessage } from '@waybill/contracts';
import type { HandlerResult } from '@waybill/dispatcher';
import { delivery } from '../parcels.ts';

const Order1 = Type.Object({ customer: Type.String(), total: Type.Integer() });
const Order2 = Type.Object({ customer: Type.String(), cents: Type.Integer() });
const identity = {
  type: 'shop.order-placed',
  kind: 'journey-step-command',
  recordKey: ({ customer }: { readonly customer: string }) => `Customer/${customer}`,
  // Whoever waits behind a dead order is held.
  headPolicy: 'hold',
  delivery,
} as const;

export const OrderPlaced1 = defineMessage({ ...identity, versions: { 1: Order1 } });
export const OrderPlaced2 = defineMessage({
  ...identity,
  versions: { 1: Order1, 2: Order2 },
  upcast: { 2: ({ customer, total }) => ({ customer, cents: total * 100 }) },
  downcast: { 2: ({ customer, cents }) => ({ customer, total: Math.trunc(cents / 100) }) },
});

const shop = { name: '@acme/shop-contracts', events: [] };
export const shop1: ContractPackage = defineContracts({ ...shop, messages: [OrderPlaced1] });
export const shop2: ContractPackage = defineContracts({ ...shop, messages: [OrderPlaced2] });

/** A target that refuses an order of nothing. */
export function take(order: { readonly total: number } | { readonly cents: number }): HandlerResult {
  if (('total' in order ? order.total : order.cents) === 0) return { outcome: 'refused', class: 'nothing-ordered' };
}
