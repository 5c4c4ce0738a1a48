import { eventDelivery } from '../delivery.ts';
import { issueChangedEvent } from '../events.ts';

/** What stays the same in every release of this package. */
export const issueChangedIdentity = {
  type: 'github.issue-changed',
  kind: 'integration-event',
  event: issueChangedEvent.id,
  recordKey: (issue: { readonly issueId: number }): string => `Issue/${issue.issueId}`,
  delivery: eventDelivery,
  idempotency: { class: 'deterministic-set' },
} as const;
