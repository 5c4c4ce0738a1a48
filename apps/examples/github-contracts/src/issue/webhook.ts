import type { Account, RepositoryWebhook } from '../webhook.ts';

/** What this package reads of GitHub's `issues` webhook. Two of the fifty real payloads leave `state` out. */
export interface IssuesWebhook extends RepositoryWebhook {
  readonly action: string;
  readonly issue: {
    readonly id: number;
    readonly number: number;
    readonly title: string;
    readonly state?: string;
    readonly assignees: readonly Account[];
  };
}

/** The members that are the same in every version of the message. */
export function issueFacts(webhook: IssuesWebhook): {
  action: string;
  issueId: number;
  number: number;
  repository: string;
  title: string;
  state?: 'open' | 'closed';
} {
  const { id, number, title, state } = webhook.issue;
  return {
    action: webhook.action,
    issueId: id,
    number,
    repository: webhook.repository.full_name,
    title,
    ...(state === undefined ? {} : { state: state === 'closed' ? 'closed' : 'open' }),
  };
}
