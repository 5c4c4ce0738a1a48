import type { DeliverySpecification } from '@waybill/contracts';

/** What the team promises for each of its integration events. Consumers may rely on every word of it. */
export const eventDelivery: DeliverySpecification = {
  guarantee: 'at-least-once',
  boundary: 'the consumer has answered 2xx',
  duplicates: 'the same message id may come again after a crash; consumers keep the ids they have seen',
  retryHorizon: 'until the attempts of the retry policy are used up; then the record is a dead letter',
  recoveryOwner: 'the on-call engineer of the developer platform',
  recordOwner: 'the developer platform team',
  status: 'accepted',
};

/** The board is in the outbox's own database, so what it shows and the end of the message are one commit. */
export const boardDelivery: DeliverySpecification = {
  ...eventDelivery,
  boundary: "the board's transaction has committed",
  duplicates: 'showing the same state again changes nothing',
};

/** An announcement is seen by people, so it is repaired by hand sooner, and never repeated lightly. */
export const announcementDelivery: DeliverySpecification = {
  ...eventDelivery,
  boundary: 'the announcement service has answered 2xx',
  duplicates: 'the announcement service posts once per message id',
  recoveryOwner: 'the release manager',
};
