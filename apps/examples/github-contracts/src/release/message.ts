import { defineMessage } from '@waybill/contracts';
import { releaseChangedIdentity } from './identity.ts';
import { ReleaseChangedV1 } from './v1.ts';
import { channelToFlag, flagToChannel, ReleaseChangedV2 } from './v2.ts';

export const ReleaseChanged = defineMessage({
  ...releaseChangedIdentity,
  versions: { 1: ReleaseChangedV1, 2: ReleaseChangedV2 },
  upcast: { 2: flagToChannel },
  downcast: { 2: channelToFlag },
});
