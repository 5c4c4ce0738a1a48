/**
 * The package as it was in release 1: version 1 of every message, and nothing else. In a team's own repository this is an older
 * commit; it lies beside release 2 here so that the example can run an older and a newer build at the same time.
 */
import { type ContractPackage, defineContracts, defineMessage } from '@waybill/contracts';
import { announceReleaseIdentity } from './announcement/identity.ts';
import { AnnounceReleaseV1, announceReleaseV1 } from './announcement/v1.ts';
import { issueChangedEvent, releaseChangedEvent } from './events.ts';
import { issueChangedIdentity } from './issue/identity.ts';
import { IssueChangedV1, issueChangedV1 } from './issue/v1.ts';
import { showPullRequestIdentity } from './pull-request/identity.ts';
import { ShowPullRequestV1, showPullRequestV1 } from './pull-request/v1.ts';
import { showPushIdentity } from './push/identity.ts';
import { ShowPushV1, showPushV1 } from './push/v1.ts';
import { releaseChangedIdentity } from './release/identity.ts';
import { ReleaseChangedV1, releaseChangedV1 } from './release/v1.ts';

export const IssueChanged = defineMessage({ ...issueChangedIdentity, versions: { 1: IssueChangedV1 } });
export const ShowPullRequest = defineMessage({
  ...showPullRequestIdentity,
  versions: { 1: ShowPullRequestV1 },
});
export const ShowPush = defineMessage({ ...showPushIdentity, versions: { 1: ShowPushV1 } });
export const ReleaseChanged = defineMessage({ ...releaseChangedIdentity, versions: { 1: ReleaseChangedV1 } });
export const AnnounceRelease = defineMessage({ ...announceReleaseIdentity, versions: { 1: AnnounceReleaseV1 } });

export type { IssuesWebhook } from './issue/webhook.ts';
export type { PullRequestWebhook } from './pull-request/webhook.ts';
export type { PushWebhook } from './push/webhook.ts';
export type { ReleaseWebhook } from './release/webhook.ts';
export {
  announceReleaseV1 as announceRelease,
  issueChangedV1 as issueChanged,
  releaseChangedV1 as releaseChanged,
  showPullRequestV1 as showPullRequest,
  showPushV1 as showPush,
};

/** What a dispatcher's configuration names. */
export const githubContracts: ContractPackage = defineContracts({
  name: '@waybill-examples/github-contracts',
  messages: [IssueChanged, ShowPullRequest, ShowPush, ReleaseChanged, AnnounceRelease],
  events: [issueChangedEvent, releaseChangedEvent],
});
