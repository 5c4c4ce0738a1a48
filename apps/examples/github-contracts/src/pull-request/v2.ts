import { type Static, Type } from '@sinclair/typebox';
import { type PullRequestChangedV1, pullRequestChangedV1, pullRequestMembers } from './v1.ts';
import type { PullRequestWebhook } from './webhook.ts';

/** Version 2: one state of four in the place of three members, so that no combination is meaningless. */
export const PullRequestChangedV2 = Type.Object({
  ...pullRequestMembers,
  state: Type.Union([Type.Literal('draft'), Type.Literal('open'), Type.Literal('merged'), Type.Literal('closed')]),
});
export type PullRequestChangedV2 = Static<typeof PullRequestChangedV2>;

type State = PullRequestChangedV2['state'];

/** Merged wins over everything, closed over draft: the stronger fact is the one a reader acts on. */
function stateOf(v1: Pick<PullRequestChangedV1, 'state' | 'draft' | 'merged'>): State {
  if (v1.merged) return 'merged';
  if (v1.state === 'closed') return 'closed';
  return v1.draft ? 'draft' : 'open';
}

const V1_STATE: Readonly<Record<State, Pick<PullRequestChangedV1, 'state' | 'draft' | 'merged'>>> = {
  draft: { state: 'open', draft: true, merged: false },
  open: { state: 'open', draft: false, merged: false },
  merged: { state: 'closed', draft: false, merged: true },
  closed: { state: 'closed', draft: false, merged: false },
};

/** Three members become one state. */
export function flagsToState({ state, draft, merged, ...same }: PullRequestChangedV1): PullRequestChangedV2 {
  return { ...same, state: stateOf({ state, draft, merged }) };
}

/** Lossless: each of the four states has exactly one spelling in version 1, and the upcast leads back to it. */
export function stateToFlags({ state, ...same }: PullRequestChangedV2): PullRequestChangedV1 {
  return { ...same, ...V1_STATE[state] };
}

/** The `pull_request` webhook as version 2. */
export function pullRequestChanged(webhook: PullRequestWebhook): PullRequestChangedV2 {
  return flagsToState(pullRequestChangedV1(webhook));
}
