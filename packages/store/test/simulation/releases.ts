/** Four releases of a shop's contracts, as its teams may have shipped them: what schedules deploy and go back to. */
import { Type } from '@sinclair/typebox';
import { type AnyMessage, type ContractPackage, defineContracts, defineEvent, defineMessage } from '@waybill/contracts';
import type { SimulatedBuild } from '@waybill/testkit';
import { delivery } from '../messages.ts';

const placed = defineEvent({
  id: 'EVT-ORDER-PLACED',
  title: 'An order was placed',
  raises: 'shop',
  reactsTo: ['shop.checkout'],
});

const order = {
  type: 'shop.order-placed',
  kind: 'integration-event',
  event: placed.id,
  recordKey: null,
  delivery,
} as const;
const OrderV1 = Type.Object({ id: Type.String(), total: Type.Integer() });
const OrderV2 = Type.Object({ id: Type.String(), cents: Type.Integer(), currency: Type.String() });
const OrderV3 = Type.Object({
  id: Type.String(),
  amount: Type.Object({ cents: Type.Integer(), currency: Type.String() }),
});
const toOrderV2 = ({ id, total }: { id: string; total: number }) => ({ id, cents: total * 100, currency: 'EUR' });

/** Two ways up and one down: the newest can be brought back by one version. */
const Order1 = defineMessage({ ...order, versions: { 1: OrderV1 } });
const Order2 = defineMessage({
  ...order,
  versions: { 1: OrderV1, 2: OrderV2 },
  upcast: { 2: toOrderV2 },
  downcast: { 2: ({ id, cents }) => ({ id, total: Math.trunc(cents / 100) }) },
});
const Order3 = defineMessage({
  ...order,
  versions: { 2: OrderV2, 3: OrderV3 },
  upcast: { 3: ({ id, ...amount }) => ({ id, amount }) },
  downcast: { 3: ({ id, amount }) => ({ id, ...amount }) },
});

/** A dead one holds its key, and no way leads back from version 2. */
const note = {
  type: 'shop.invoice-sent',
  kind: 'provider-side-effect',
  recordKey: null,
  headPolicy: 'hold',
  delivery,
} as const;
const InvoiceV1 = Type.Object({ id: Type.String() });
const InvoiceV2 = Type.Object({ id: Type.String(), address: Type.String() });
const Invoice1 = defineMessage({ ...note, versions: { 1: InvoiceV1 } });
const Invoice2 = defineMessage({
  ...note,
  versions: { 1: InvoiceV1, 2: InvoiceV2 },
  upcast: { 2: ({ id }) => ({ id, address: '' }) },
});

/** Comes with release 2: release 1 has no say about it. */
const Refund1 = defineMessage({
  type: 'shop.refund-asked',
  kind: 'journey-step-command',
  recordKey: null,
  versions: { 1: Type.Object({ id: Type.String() }) },
  delivery,
});

/** Release 2 with a mistake: it claims to read the first orders, and cannot. */
const OrderBroken = defineMessage({
  ...order,
  versions: { 1: OrderV1, 2: OrderV2 },
  upcast: {
    2: () => {
      throw new Error('not thought of');
    },
  },
  downcast: { 2: ({ id, cents }) => ({ id, total: Math.trunc(cents / 100) }) },
});

const release = (name: string, ...messages: readonly AnyMessage[]): SimulatedBuild => {
  const contracts: ContractPackage = defineContracts({ name, messages, events: [placed] });
  return { build: name, contracts: [contracts] };
};

export const RELEASES: readonly SimulatedBuild[] = [
  release('shop@1', Order1, Invoice1),
  release('shop@2', Order2, Invoice2, Refund1),
  release('shop@3', Order3, Invoice2, Refund1),
  release('shop@2-broken', OrderBroken, Invoice2, Refund1),
];
