/** Message types that the store's tests share. */
import { Type } from '@sinclair/typebox';
import {
  createReaders,
  type DeliverySpecification,
  defineContracts,
  defineEvent,
  defineMessage,
} from '@waybill/contracts';

export const delivery: DeliverySpecification = {
  guarantee: 'at-least-once',
  boundary: 'the target answered',
  duplicates: 'dropped by message id',
  retryHorizon: 'one day',
  recoveryOwner: 'tests',
  recordOwner: 'tests',
  status: 'accepted',
};

const aboutParcel = {
  kind: 'integration-event',
  event: 'EVT-PARCEL-MOVED',
  recordKey: (parcel: { readonly id: string }) => `Parcel/${parcel.id}`,
  delivery,
} as const;
const ParcelMoved1 = Type.Object({ id: Type.String() });
const parcelMovedTwice = {
  ...aboutParcel,
  versions: { 1: ParcelMoved1, 2: Type.Object({ id: Type.String(), step: Type.Integer() }) },
  upcast: { 2: (parcel: { id: string }) => ({ ...parcel, step: 0 }) },
};

/** A message about a parcel, in order with the others about it. */
export const ParcelMoved = defineMessage({ type: 'test.parcel-moved', ...parcelMovedTwice });
/** What release 1 of its package was. */
export const ReleasedParcelMoved = defineMessage({
  type: 'test.parcel-moved',
  ...aboutParcel,
  versions: { 1: ParcelMoved1 },
});
/** The same under a name that nobody has registered. */
export const ParcelFound = defineMessage({ type: 'test.parcel-found', ...parcelMovedTwice });

/** A message without a key, whose payload may be anything. */
export const NoteTaken = defineMessage({
  type: 'test.note-taken',
  kind: 'journey-step-command',
  recordKey: null,
  versions: { 1: Type.Object({ value: Type.Unknown() }) },
  delivery,
});

/** The whole payload is a list. */
export const ListSent = defineMessage({
  type: 'test.list-sent',
  kind: 'provider-side-effect',
  recordKey: null,
  versions: { 1: Type.Array(Type.Unknown()) },
  delivery,
});

/** Readers of all of them. */
export const testReaders = createReaders([
  defineContracts({
    name: 'test-contracts',
    messages: [ParcelMoved, NoteTaken, ListSent],
    events: [
      defineEvent({ id: 'EVT-PARCEL-MOVED', title: 'A parcel moved', raises: 'tests', reactsTo: ['test.watch'] }),
    ],
  }),
]);
