/**
 * GitHub activity as versioned messages: release 2 of the package. It reads versions 1 and 2 and writes version 2.
 *
 * @example
 * await enqueue(tx, IssueChanged, issueChanged(webhook));
 */
import { type ContractPackage, defineContracts } from '@waybill/contracts';
import { AnnounceRelease } from './announcement/message.ts';
import { issueChangedEvent, releaseChangedEvent } from './events.ts';
import { IssueChanged } from './issue/message.ts';
import { ShowPullRequest } from './pull-request/message.ts';
import { ShowPush } from './push/message.ts';
import { ReleaseChanged } from './release/message.ts';

export { announceRelease } from './announcement/v2.ts';
export { issueChanged } from './issue/v2.ts';
export type { IssuesWebhook } from './issue/webhook.ts';
export { showPullRequest } from './pull-request/v2.ts';
export type { PullRequestWebhook } from './pull-request/webhook.ts';
export { showPush } from './push/v2.ts';
export type { PushWebhook } from './push/webhook.ts';
export { releaseChanged } from './release/v2.ts';
export type { ReleaseWebhook } from './release/webhook.ts';
export { AnnounceRelease, IssueChanged, ReleaseChanged, ShowPullRequest, ShowPush };

/** What a dispatcher's configuration names. */
export const githubContracts: ContractPackage = defineContracts({
  name: '@waybill-examples/github-contracts',
  messages: [IssueChanged, ShowPullRequest, ShowPush, ReleaseChanged, AnnounceRelease],
  events: [issueChangedEvent, releaseChangedEvent],
});
