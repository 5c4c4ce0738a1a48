import { payloadOf } from '@waybill/contracts/testing';
import { simulateRollout } from '@waybill/testkit';

import { rolloutTarget } from '../../src/testing/index.ts';
import { shopContracts1, shopContracts2 } from './shop.ts';

export async function simulateShop(url: string): Promise<void> {
  await using target = await rolloutTarget({ url });
  const builds = [
    { build: 'shop@1', contracts: [shopContracts1] }, // the release that runs
    { build: 'shop@2', contracts: [shopContracts2] }, // the one to roll out
  ];
  for (let seed = 1; seed <= 20; seed += 1) {
    const { fault } = await simulateRollout({ builds, seed, target, payload: payloadOf });
    if (fault !== null) throw new Error(JSON.stringify(fault, null, 2));
  }
}
