import { type Static, Type } from '@sinclair/typebox';
import { Login } from '../members.ts';
import { type IssueChangedV1, issueMembers } from './v1.ts';
import { type IssuesWebhook, issueFacts } from './webhook.ts';

/** Version 2: any number of assignees. */
export const IssueChangedV2 = Type.Object({
  ...issueMembers,
  assignees: Type.Array(Login),
});
export type IssueChangedV2 = Static<typeof IssueChangedV2>;

/**
 * The one assignee becomes a list. There is no way back: a second assignee has no place in version 1,
 * and to drop one silently would tell an older reader something untrue. So this message has no downcast.
 */
export function assigneeToAssignees({ assignee, ...same }: IssueChangedV1): IssueChangedV2 {
  return { ...same, assignees: assignee === undefined ? [] : [assignee] };
}

/** The `issues` webhook as version 2. */
export function issueChanged(webhook: IssuesWebhook): IssueChangedV2 {
  return { ...issueFacts(webhook), assignees: webhook.issue.assignees.map((account) => account.login) };
}
