import { eventDelivery } from '../delivery.ts';
import { releaseChangedEvent } from '../events.ts';

/** What stays the same in every release of this package. */
export const releaseChangedIdentity = {
  type: 'github.release-changed',
  kind: 'integration-event',
  event: releaseChangedEvent.id,
  recordKey: (release: { readonly releaseId: number }): string => `Release/${release.releaseId}`,
  delivery: eventDelivery,
  idempotency: { class: 'deterministic-set' },
} as const;
