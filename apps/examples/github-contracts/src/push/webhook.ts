import type { RepositoryWebhook } from '../webhook.ts';

/** What this package reads of GitHub's `push` webhook. */
export interface PushWebhook extends RepositoryWebhook {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  readonly commits: readonly { readonly id: string; readonly message: string }[];
  readonly pusher: { readonly name: string };
}
