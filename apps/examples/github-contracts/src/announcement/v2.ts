import { type Static, Type } from '@sinclair/typebox';
import type { ReleaseWebhook } from '../release/webhook.ts';
import { type AnnounceReleaseV1, announcementMembers, announceReleaseV1 } from './v1.ts';

const NamePart = Type.String({ pattern: '^[^/\\s]+$', maxLength: 100 });

/** Version 2: owner and name apart, since the announcement's template needs them apart. */
export const AnnounceReleaseV2 = Type.Object({
  ...announcementMembers,
  repository: Type.Object({ owner: NamePart, name: NamePart }),
});
export type AnnounceReleaseV2 = Static<typeof AnnounceReleaseV2>;

/** `owner/name` is split at its only slash. */
export function splitRepository({ repository, ...same }: AnnounceReleaseV1): AnnounceReleaseV2 {
  const slash = repository.indexOf('/');
  return {
    ...same,
    repository: { owner: repository.slice(0, slash), name: repository.slice(slash + 1) },
  };
}

/** Lossless: neither part can hold a slash. */
export function joinRepository({ repository, ...same }: AnnounceReleaseV2): AnnounceReleaseV1 {
  return { ...same, repository: `${repository.owner}/${repository.name}` };
}

/** A published release is announced; any other change of a release is not (`undefined`). */
export function announceRelease(webhook: ReleaseWebhook): AnnounceReleaseV2 | undefined {
  const v1 = announceReleaseV1(webhook);
  return v1 && splitRepository(v1);
}
