import { type Static, Type } from '@sinclair/typebox';
import { Action, GithubId, optional, RepositoryName, Title } from '../members.ts';
import type { ReleaseWebhook } from './webhook.ts';

export const TagName = Type.String({ pattern: '^\\S+$', maxLength: 1013 });

/** The members that version 2 took over unchanged. */
export const releaseMembers = {
  action: Action,
  releaseId: GithubId,
  repository: RepositoryName,
  tag: TagName,
  title: optional(Title, 'the release is called by its tag'),
};

/** Version 1: a flag says whether it is a pre-release. */
export const ReleaseChangedV1 = Type.Object({ ...releaseMembers, prerelease: Type.Boolean() });
export type ReleaseChangedV1 = Static<typeof ReleaseChangedV1>;

/** The `release` webhook as release 1 of this package writes it. */
export function releaseChangedV1(webhook: ReleaseWebhook): ReleaseChangedV1 {
  const { id, tag_name, name, prerelease } = webhook.release;
  return {
    action: webhook.action,
    releaseId: id,
    repository: webhook.repository.full_name,
    tag: tag_name,
    ...(name === null ? {} : { title: name }),
    prerelease,
  };
}
