import { eventDelivery } from '../delivery.ts';
import { pushedEvent } from '../events.ts';

/** What stays the same in every release of this package. Pushes are ordered per repository, so that a tag never overtakes its commit. */
export const pushedIdentity = {
  type: 'github.pushed',
  kind: 'integration-event',
  event: pushedEvent.id,
  recordKey: (push: { readonly repositoryId: number }): string => `Repository/${push.repositoryId}`,
  delivery: eventDelivery,
  idempotency: { class: 'deterministic-set' },
} as const;
