import { type Static, Type } from '@sinclair/typebox';
import { CommitId, GithubId, Login, RepositoryName } from '../members.ts';
import type { PushWebhook } from './webhook.ts';

/** The members that version 2 took over unchanged. */
export const pushMembers = {
  repositoryId: GithubId,
  repository: RepositoryName,
  commits: Type.Array(Type.Object({ id: CommitId, message: Type.String() })),
  pusher: Login,
};

/** Version 1: git's own spelling, where forty zeros stand for "there was nothing" and "nothing is left". */
export const ShowPushV1 = Type.Object({
  ...pushMembers,
  ref: Type.String({ pattern: '^refs/(heads|tags)/\\S+$', maxLength: 1024 }),
  before: CommitId,
  after: CommitId,
});
export type ShowPushV1 = Static<typeof ShowPushV1>;

/** The `push` webhook as release 1 of this package writes it. */
export function showPushV1(webhook: PushWebhook): ShowPushV1 {
  return {
    repositoryId: webhook.repository.id,
    repository: webhook.repository.full_name,
    ref: webhook.ref,
    before: webhook.before,
    after: webhook.after,
    commits: webhook.commits.map(({ id, message }) => ({ id, message })),
    pusher: webhook.pusher.name,
  };
}
