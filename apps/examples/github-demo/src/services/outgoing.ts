import { type EnqueueEntry, entry } from '@waybill/store';
import type {
  IssuesWebhook,
  PullRequestWebhook,
  PushWebhook,
  ReleaseWebhook,
} from '@waybill-examples/github-contracts';
import * as release2 from '@waybill-examples/github-contracts';
import * as release1 from '@waybill-examples/github-contracts/release-1';
import type { ContractRelease } from './service.ts';

type ByRelease<Webhook> = Readonly<Record<ContractRelease, (webhook: Webhook) => readonly EnqueueEntry[]>>;

/**
 * Waybill would not write a version that a running build cannot read. The story wants exactly that, so its operator has allowed it in the store
 * (see `open-stage.ts`), and the writers of release 2 ask for it.
 */
const ANYWAY = { whenUnreadable: 'write-anyway' } as const;

export const issueMessages: ByRelease<IssuesWebhook> = {
  1: (webhook) => [entry(release1.IssueChanged, release1.issueChanged(webhook))],
  2: (webhook) => [entry(release2.IssueChanged, release2.issueChanged(webhook), ANYWAY)],
};

export const pullRequestMessages: ByRelease<PullRequestWebhook> = {
  1: (webhook) => [entry(release1.ShowPullRequest, release1.showPullRequest(webhook))],
  2: (webhook) => [entry(release2.ShowPullRequest, release2.showPullRequest(webhook), ANYWAY)],
};

export const pushMessages: ByRelease<PushWebhook> = {
  1: (webhook) => [entry(release1.ShowPush, release1.showPush(webhook))],
  2: (webhook) => [entry(release2.ShowPush, release2.showPush(webhook), ANYWAY)],
};

/** A published release is also announced; the announcement shares the key of the release and comes after it. */
export const releaseMessages: ByRelease<ReleaseWebhook> = {
  1: (webhook) => {
    const announcement = release1.announceRelease(webhook);
    return [
      entry(release1.ReleaseChanged, release1.releaseChanged(webhook)),
      ...(announcement === undefined ? [] : [entry(release1.AnnounceRelease, announcement)]),
    ];
  },
  2: (webhook) => {
    const announcement = release2.announceRelease(webhook);
    return [
      entry(release2.ReleaseChanged, release2.releaseChanged(webhook), ANYWAY),
      ...(announcement === undefined ? [] : [entry(release2.AnnounceRelease, announcement, ANYWAY)]),
    ];
  },
};
