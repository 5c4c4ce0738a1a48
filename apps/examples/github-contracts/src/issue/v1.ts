import { type Static, Type } from '@sinclair/typebox';
import { Action, GithubId, IssueNumber, Login, optional, RepositoryName, Title } from '../members.ts';
import { type IssuesWebhook, issueFacts } from './webhook.ts';

/** The members that version 2 took over unchanged. */
export const issueMembers = {
  action: Action,
  issueId: GithubId,
  number: IssueNumber,
  repository: RepositoryName,
  title: Title,
  state: optional(
    Type.Union([Type.Literal('open'), Type.Literal('closed')]),
    'GitHub did not say; keep the state that is known',
  ),
};

/** Version 1: an issue has at most one assignee, as GitHub had it then. */
export const IssueChangedV1 = Type.Object({
  ...issueMembers,
  assignee: optional(Login, 'nobody is assigned'),
});
export type IssueChangedV1 = Static<typeof IssueChangedV1>;

/**
 * The `issues` webhook as release 1 of this package writes it: the first of the assignees. GitHub's own `assignee` is deprecated,
 * missing from some real payloads and at odds with `assignees` in others.
 */
export function issueChangedV1(webhook: IssuesWebhook): IssueChangedV1 {
  const assignee = webhook.issue.assignees[0]?.login;
  return { ...issueFacts(webhook), ...(assignee === undefined ? {} : { assignee }) };
}
