import { type Static, Type } from '@sinclair/typebox';
import { defineContracts, defineMessage } from '@waybill/contracts';

const Line = Type.Object({
  sku: Type.String(),
  quantity: Type.Integer({ minimum: 1 }),
  price: Type.Integer({ minimum: 0 }),
  note: Type.String(),
});
const identity = { n: Type.Integer(), key: Type.String(), step: Type.Integer() };

/** The sample as a message of Waybill. Version 1 had no lines; what is enqueued is version 2. */
export const OrderPlaced = defineMessage({
  type: 'bench.order-placed',
  kind: 'journey-step-command',
  // The producer names the key, or that there is none.
  recordKey: null,
  versions: { 1: Type.Object(identity), 2: Type.Object({ ...identity, lines: Type.Array(Line) }) },
  upcast: { 2: (first) => ({ ...first, lines: [] }) },
  delivery: {
    guarantee: 'at-least-once',
    boundary: 'the handler returned',
    duplicates: 'counted',
    retryHorizon: 'one run of the benchmark',
    recoveryOwner: 'bench',
    recordOwner: 'bench',
    status: 'accepted',
  },
});

export type OrderPayload = Static<(typeof OrderPlaced)['versions'][2]>;

export const benchContracts = defineContracts({ name: '@waybill/bench', messages: [OrderPlaced] });
