import { type Static, Type } from '@sinclair/typebox';
import { Action, GithubId, IssueNumber, RepositoryName, Title } from '../members.ts';
import { type PullRequestWebhook, pullRequestFacts } from './webhook.ts';

const Branch = Type.String({ minLength: 1, maxLength: 255 });

/** The members that version 2 took over unchanged. */
export const pullRequestMembers = {
  action: Action,
  pullRequestId: GithubId,
  number: IssueNumber,
  repository: RepositoryName,
  title: Title,
  from: Branch,
  into: Branch,
};

/** Version 1: GitHub's own three members, of which some combinations mean nothing (open and merged). */
export const ShowPullRequestV1 = Type.Object({
  ...pullRequestMembers,
  state: Type.Union([Type.Literal('open'), Type.Literal('closed')]),
  draft: Type.Boolean(),
  merged: Type.Boolean(),
});
export type ShowPullRequestV1 = Static<typeof ShowPullRequestV1>;

/** The `pull_request` webhook as release 1 of this package writes it. */
export function showPullRequestV1(webhook: PullRequestWebhook): ShowPullRequestV1 {
  const { state, draft, merged } = webhook.pull_request;
  return { ...pullRequestFacts(webhook), state: state === 'closed' ? 'closed' : 'open', draft, merged };
}
