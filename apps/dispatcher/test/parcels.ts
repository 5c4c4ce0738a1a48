import { Type } from '@sinclair/typebox';
import { type ContractPackage, type DeliverySpecification, defineContracts, defineMessage } from '@waybill/contracts';

export const delivery: DeliverySpecification = {
  guarantee: 'at-least-once',
  boundary: 'the receiver has answered',
  duplicates: 'dropped by message id',
  retryHorizon: 'two hours, then dead letter',
  recoveryOwner: 'parcel operations',
  recordOwner: 'parcel team',
  status: 'accepted',
};

const MovedV1 = Type.Object({ parcel: Type.String(), step: Type.Integer() });
const MovedV2 = Type.Object({ parcel: Type.String(), step: Type.Integer(), depot: Type.String() });

/** A keyed command in two versions, the newer of which loses nothing on the way back. */
export const MoveParcel = defineMessage({
  type: 'parcels.move',
  kind: 'journey-step-command',
  recordKey: (parcel) => `Parcel/${parcel.parcel}`,
  versions: { 1: MovedV1, 2: MovedV2 },
  upcast: { 2: (older) => ({ ...older, depot: 'unknown' }) },
  downcast: { 2: ({ parcel, step }) => ({ parcel, step }) },
  delivery,
});

/** Another one, on the same keys. */
export const WeighParcel = defineMessage({
  type: 'parcels.weigh',
  kind: 'journey-step-command',
  recordKey: (parcel) => `Parcel/${parcel.parcel}`,
  versions: { 1: Type.Object({ parcel: Type.String(), grams: Type.Integer() }) },
  delivery,
});

/** An effect at a provider, without a key. */
export const NotifyOwner = defineMessage({
  type: 'parcels.notify-owner',
  kind: 'provider-side-effect',
  recordKey: null,
  versions: { 1: Type.Object({ owner: Type.String(), text: Type.String() }) },
  delivery,
  idempotency: { class: 'external', contract: 'the provider drops a repeated message id' },
});

export const parcels: ContractPackage = defineContracts({
  name: '@acme/parcels',
  messages: [MoveParcel, WeighParcel, NotifyOwner],
  events: [],
});
