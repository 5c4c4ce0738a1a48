import type { RepositoryWebhook } from '../webhook.ts';

/** What this package reads of GitHub's `pull_request` webhook. */
export interface PullRequestWebhook extends RepositoryWebhook {
  readonly action: string;
  readonly pull_request: {
    readonly id: number;
    readonly number: number;
    readonly title: string;
    readonly state: string;
    readonly draft: boolean;
    readonly merged: boolean;
    readonly head: { readonly ref: string };
    readonly base: { readonly ref: string };
  };
}

/** The members that are the same in every version of the message. */
export function pullRequestFacts(webhook: PullRequestWebhook): {
  action: string;
  pullRequestId: number;
  number: number;
  repository: string;
  title: string;
  from: string;
  into: string;
} {
  const { id, number, title, head, base } = webhook.pull_request;
  return {
    action: webhook.action,
    pullRequestId: id,
    number,
    repository: webhook.repository.full_name,
    title,
    from: head.ref,
    into: base.ref,
  };
}
