import { eventDelivery } from '../delivery.ts';
import { pullRequestChangedEvent } from '../events.ts';

/** What stays the same in every release of this package. */
export const pullRequestChangedIdentity = {
  type: 'github.pull-request-changed',
  kind: 'integration-event',
  event: pullRequestChangedEvent.id,
  recordKey: (pull: { readonly pullRequestId: number }): string => `PullRequest/${pull.pullRequestId}`,
  delivery: eventDelivery,
  idempotency: { class: 'deterministic-set' },
} as const;
