import type { RepositoryWebhook } from '../webhook.ts';

/** What this package reads of GitHub's `release` webhook. */
export interface ReleaseWebhook extends RepositoryWebhook {
  readonly action: string;
  readonly release: {
    readonly id: number;
    readonly tag_name: string;
    readonly name: string | null;
    readonly prerelease: boolean;
    readonly html_url: string;
  };
}
