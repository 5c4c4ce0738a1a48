import { defineMessage } from '@waybill/contracts';
import { pullRequestChangedIdentity } from './identity.ts';
import { PullRequestChangedV1 } from './v1.ts';
import { flagsToState, PullRequestChangedV2, stateToFlags } from './v2.ts';

export const PullRequestChanged = defineMessage({
  ...pullRequestChangedIdentity,
  versions: { 1: PullRequestChangedV1, 2: PullRequestChangedV2 },
  upcast: { 2: flagsToState },
  downcast: { 2: stateToFlags },
});
