import { boardDelivery } from '../delivery.ts';

/** What stays the same in every release of this package. Pushes are ordered per repository, so that a tag never overtakes its commit. */
export const showPushIdentity = {
  type: 'github.show-push',
  kind: 'journey-step-command',
  recordKey: (push: { readonly repositoryId: number }): string => `Repository/${push.repositoryId}`,
  delivery: boardDelivery,
  idempotency: { class: 'deterministic-set' },
} as const;
