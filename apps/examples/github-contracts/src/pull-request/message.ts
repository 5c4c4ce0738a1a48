import { defineMessage } from '@waybill/contracts';
import { showPullRequestIdentity } from './identity.ts';
import { ShowPullRequestV1 } from './v1.ts';
import { flagsToState, ShowPullRequestV2, stateToFlags } from './v2.ts';

export const ShowPullRequest = defineMessage({
  ...showPullRequestIdentity,
  versions: { 1: ShowPullRequestV1, 2: ShowPullRequestV2 },
  upcast: { 2: flagsToState },
  downcast: { 2: stateToFlags },
});
