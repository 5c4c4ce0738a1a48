/** What the example of a simulation rolls out: two releases of one contract package. */
import { Type } from '@sinclair/typebox';
import { type ContractPackage, defineContracts, defineMessage } from '@waybill/contracts';

import { delivery } from '../messages.ts';

const Placed1 = Type.Object({ orderId: Type.String() });
const Placed2 = Type.Object({ orderId: Type.String(), currency: Type.String() });
const identity = { type: 'shop.order-placed', kind: 'journey-step-command', recordKey: null, delivery } as const;

export const shopContracts1: ContractPackage = defineContracts({
  name: '@acme/shop-contracts',
  messages: [defineMessage({ ...identity, versions: { 1: Placed1 } })],
});

export const shopContracts2: ContractPackage = defineContracts({
  name: '@acme/shop-contracts',
  messages: [
    defineMessage({
      ...identity,
      versions: { 1: Placed1, 2: Placed2 },
      upcast: { 2: (order) => ({ ...order, currency: 'EUR' }) },
      downcast: { 2: ({ orderId }) => ({ orderId }) },
    }),
  ],
});
