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

export const issueMessages: ByRelease<IssuesWebhook> = {
  1: (webhook) => [entry(release1.IssueChanged, release1.issueChanged(webhook))],
  2: (webhook) => [entry(release2.IssueChanged, release2.issueChanged(webhook))],
};

export const pullRequestMessages: ByRelease<PullRequestWebhook> = {
  1: (webhook) => [entry(release1.PullRequestChanged, release1.pullRequestChanged(webhook))],
  2: (webhook) => [entry(release2.PullRequestChanged, release2.pullRequestChanged(webhook))],
};

export const pushMessages: ByRelease<PushWebhook> = {
  1: (webhook) => [entry(release1.Pushed, release1.pushed(webhook))],
  2: (webhook) => [entry(release2.Pushed, release2.pushed(webhook))],
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
      entry(release2.ReleaseChanged, release2.releaseChanged(webhook)),
      ...(announcement === undefined ? [] : [entry(release2.AnnounceRelease, announcement)]),
    ];
  },
};
