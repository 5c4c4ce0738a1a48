import { boardDelivery } from '../delivery.ts';

/** What stays the same in every release of this package. */
export const showPullRequestIdentity = {
  type: 'github.show-pull-request',
  kind: 'journey-step-command',
  recordKey: (pull: { readonly pullRequestId: number }): string => `PullRequest/${pull.pullRequestId}`,
  delivery: boardDelivery,
  idempotency: { class: 'deterministic-set' },
} as const;
