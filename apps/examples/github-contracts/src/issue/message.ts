import { defineMessage } from '@waybill/contracts';
import { issueChangedIdentity } from './identity.ts';
import { IssueChangedV1 } from './v1.ts';
import { assigneeToAssignees, IssueChangedV2 } from './v2.ts';

export const IssueChanged = defineMessage({
  ...issueChangedIdentity,
  versions: { 1: IssueChangedV1, 2: IssueChangedV2 },
  upcast: { 2: assigneeToAssignees },
});
