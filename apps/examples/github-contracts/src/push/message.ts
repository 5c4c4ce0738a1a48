import { defineMessage } from '@waybill/contracts';
import { showPushIdentity } from './identity.ts';
import { ShowPushV1 } from './v1.ts';
import { refToWords, ShowPushV2, wordsToRef } from './v2.ts';

export const ShowPush = defineMessage({
  ...showPushIdentity,
  versions: { 1: ShowPushV1, 2: ShowPushV2 },
  upcast: { 2: refToWords },
  downcast: { 2: wordsToRef },
});
