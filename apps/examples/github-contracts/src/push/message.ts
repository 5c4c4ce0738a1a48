import { defineMessage } from '@waybill/contracts';
import { pushedIdentity } from './identity.ts';
import { PushedV1 } from './v1.ts';
import { PushedV2, refToWords, wordsToRef } from './v2.ts';

export const Pushed = defineMessage({
  ...pushedIdentity,
  versions: { 1: PushedV1, 2: PushedV2 },
  upcast: { 2: refToWords },
  downcast: { 2: wordsToRef },
});
