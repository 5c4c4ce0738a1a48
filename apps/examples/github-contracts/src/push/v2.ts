import { type Static, Type } from '@sinclair/typebox';
import { CommitId, optional } from '../members.ts';
import { pushMembers, type ShowPushV1, showPushV1 } from './v1.ts';
import type { PushWebhook } from './webhook.ts';

/** Version 2: what was pushed is said in words, and a commit that does not exist is absent. */
export const ShowPushV2 = Type.Object({
  ...pushMembers,
  ref: Type.Object({
    kind: Type.Union([Type.Literal('branch'), Type.Literal('tag')]),
    name: Type.String({ pattern: '^\\S+$', maxLength: 1013 }),
  }),
  before: optional(CommitId, 'the ref is new'),
  after: optional(CommitId, 'the ref is gone'),
});
export type ShowPushV2 = Static<typeof ShowPushV2>;

const NOTHING = '0'.repeat(40);
const BRANCH = 'refs/heads/';
const TAG = 'refs/tags/';

function refInWords(ref: string): ShowPushV2['ref'] {
  return ref.startsWith(TAG)
    ? { kind: 'tag', name: ref.slice(TAG.length) }
    : { kind: 'branch', name: ref.slice(BRANCH.length) };
}

/** Git's spelling becomes words; forty zeros become absence. */
export function refToWords({ ref, before, after, ...same }: ShowPushV1): ShowPushV2 {
  return {
    ...same,
    ref: refInWords(ref),
    ...(before === NOTHING ? {} : { before }),
    ...(after === NOTHING ? {} : { after }),
  };
}

/** Kind and name make up the ref again, and absence is written as forty zeros, which is what these mean to git. */
export function wordsToRef({ ref, before = NOTHING, after = NOTHING, ...same }: ShowPushV2): ShowPushV1 {
  return { ...same, ref: `${ref.kind === 'tag' ? TAG : BRANCH}${ref.name}`, before, after };
}

/** The `push` webhook as version 2. */
export function showPush(webhook: PushWebhook): ShowPushV2 {
  return refToWords(showPushV1(webhook));
}
