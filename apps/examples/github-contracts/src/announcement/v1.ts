import { type Static, Type } from '@sinclair/typebox';
import { GithubId, RepositoryName } from '../members.ts';
import { TagName } from '../release/v1.ts';
import type { ReleaseWebhook } from '../release/webhook.ts';

/** The members that version 2 took over unchanged. */
export const announcementMembers = {
  releaseId: GithubId,
  tag: TagName,
  url: Type.String({ pattern: '^https://\\S+$', maxLength: 2048 }),
};

/** Version 1: the repository as GitHub writes it, `owner/name`. */
export const AnnounceReleaseV1 = Type.Object({ ...announcementMembers, repository: RepositoryName });
export type AnnounceReleaseV1 = Static<typeof AnnounceReleaseV1>;

/** A published release is announced; any other change of a release is not (`undefined`). */
export function announceReleaseV1(webhook: ReleaseWebhook): AnnounceReleaseV1 | undefined {
  if (webhook.action !== 'published') return undefined;
  const { id, tag_name, html_url } = webhook.release;
  return { releaseId: id, tag: tag_name, url: html_url, repository: webhook.repository.full_name };
}
