import type { AnyMessage, PayloadOf } from '@waybill/contracts';
import * as release2 from '@waybill-examples/github-contracts';
import * as release1 from '@waybill-examples/github-contracts/release-1';
import type { IssuesWebhook, PullRequestWebhook, PushWebhook, ReleaseWebhook } from '@waybill-examples/github-contracts';
import type { ContractRelease } from './service.ts';

/** A message with its payload, ready to be enqueued. */
export interface Outgoing {
  readonly message: AnyMessage;
  readonly payload: unknown;
}

type ByRelease<Webhook> = Readonly<Record<ContractRelease, (webhook: Webhook) => readonly Outgoing[]>>;

/** Pairs a message with a payload of its newest version; here the compiler sees that they belong together. */
function outgoing<M extends AnyMessage>(message: M, payload: PayloadOf<M>): Outgoing {
  return { message, payload };
}

export const issueMessages: ByRelease<IssuesWebhook> = {
  1: (webhook) => [outgoing(release1.IssueChanged, release1.issueChanged(webhook))],
  2: (webhook) => [outgoing(release2.IssueChanged, release2.issueChanged(webhook))],
};

export const pullRequestMessages: ByRelease<PullRequestWebhook> = {
  1: (webhook) => [outgoing(release1.PullRequestChanged, release1.pullRequestChanged(webhook))],
  2: (webhook) => [outgoing(release2.PullRequestChanged, release2.pullRequestChanged(webhook))],
};

export const pushMessages: ByRelease<PushWebhook> = {
  1: (webhook) => [outgoing(release1.Pushed, release1.pushed(webhook))],
  2: (webhook) => [outgoing(release2.Pushed, release2.pushed(webhook))],
};

/** A published release is also announced; the announcement shares the key of the release and comes after it. */
export const releaseMessages: ByRelease<ReleaseWebhook> = {
  1: (webhook) => {
    const announcement = release1.announceRelease(webhook);
    return [
      outgoing(release1.ReleaseChanged, release1.releaseChanged(webhook)),
      ...(announcement === undefined ? [] : [outgoing(release1.AnnounceRelease, announcement)]),
    ];
  },
  2: (webhook) => {
    const announcement = release2.announceRelease(webhook);
    return [
      outgoing(release2.ReleaseChanged, release2.releaseChanged(webhook)),
      ...(announcement === undefined ? [] : [outgoing(release2.AnnounceRelease, announcement)]),
    ];
  },
};
