import { defineMessage } from '@waybill/contracts';
import { announceReleaseIdentity } from './identity.ts';
import { AnnounceReleaseV1 } from './v1.ts';
import { AnnounceReleaseV2, joinRepository, splitRepository } from './v2.ts';

export const AnnounceRelease = defineMessage({
  ...announceReleaseIdentity,
  versions: { 1: AnnounceReleaseV1, 2: AnnounceReleaseV2 },
  upcast: { 2: splitRepository },
  downcast: { 2: joinRepository },
});
