import { announcementDelivery } from '../delivery.ts';

/** What stays the same in every release of this package. It shares the key of the release, so nobody hears of a release before its record is out. */
export const announceReleaseIdentity = {
  type: 'github.announce-release',
  kind: 'provider-side-effect',
  recordKey: (announcement: { readonly releaseId: number }): string => `Release/${announcement.releaseId}`,
  delivery: announcementDelivery,
  idempotency: { class: 'external', contract: 'the announcement service posts once per webhook-id' },
} as const;
