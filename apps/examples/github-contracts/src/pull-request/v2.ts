import { type Static, Type } from '@sinclair/typebox';
import { pullRequestMembers, type ShowPullRequestV1, showPullRequestV1 } from './v1.ts';
import type { PullRequestWebhook } from './webhook.ts';

/** Version 2: one state of four in the place of three members, so that no combination is meaningless. */
export const ShowPullRequestV2 = Type.Object({
  ...pullRequestMembers,
  state: Type.Union([Type.Literal('draft'), Type.Literal('open'), Type.Literal('merged'), Type.Literal('closed')]),
});
export type ShowPullRequestV2 = Static<typeof ShowPullRequestV2>;

type State = ShowPullRequestV2['state'];

/** Merged wins over everything, closed over draft: the stronger fact is the one a reader acts on. */
function stateOf(v1: Pick<ShowPullRequestV1, 'state' | 'draft' | 'merged'>): State {
  if (v1.merged) return 'merged';
  if (v1.state === 'closed') return 'closed';
  return v1.draft ? 'draft' : 'open';
}

const V1_STATE: Readonly<Record<State, Pick<ShowPullRequestV1, 'state' | 'draft' | 'merged'>>> = {
  draft: { state: 'open', draft: true, merged: false },
  open: { state: 'open', draft: false, merged: false },
  merged: { state: 'closed', draft: false, merged: true },
  closed: { state: 'closed', draft: false, merged: false },
};

/** Three members become one state. */
export function flagsToState({ state, draft, merged, ...same }: ShowPullRequestV1): ShowPullRequestV2 {
  return { ...same, state: stateOf({ state, draft, merged }) };
}

/** Lossless: each of the four states has exactly one spelling in version 1, and the upcast leads back to it. */
export function stateToFlags({ state, ...same }: ShowPullRequestV2): ShowPullRequestV1 {
  return { ...same, ...V1_STATE[state] };
}

/** The `pull_request` webhook as version 2. */
export function showPullRequest(webhook: PullRequestWebhook): ShowPullRequestV2 {
  return flagsToState(showPullRequestV1(webhook));
}
