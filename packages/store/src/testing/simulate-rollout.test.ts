import { payloadOf } from '@waybill/contracts/testing';
import { testDatabase } from '@waybill/local-postgres/vitest';
import { simulateRollout } from '@waybill/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { RELEASES } from '../../test/simulation/releases.ts';
import { rolloutTarget } from './rollout-target.ts';

/** How many random schedules run; CI asks for hundreds. */
const SCHEDULES = Number(process.env['WAYBILL_SIMULATION_SCHEDULES'] ?? 25);
/** The seed of the first. */
const FIRST = Number(process.env['WAYBILL_SIMULATION_SEED'] ?? 1);
const STEPS = Number(process.env['WAYBILL_SIMULATION_STEPS'] ?? 60);

const database = await testDatabase({ empty: true });
const target = await rolloutTarget(database);
afterAll(async () => {
  await target[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

describe('V10: rollouts under simulation', () => {
  test(`V10: random schedules of deploys, rollbacks, crashes, replays and retirements keep every invariant`, {
    timeout: 900_000,
  }, async () => {
    const tally: Record<string, number> = {};
    for (let seed = FIRST; seed < FIRST + SCHEDULES; seed += 1) {
      const report = await simulateRollout({ builds: RELEASES, schedule: STEPS, seed, target, payload: payloadOf });
      expect(report.fault, `seed ${String(seed)}`).toBeNull();
      for (const [what, count] of Object.entries(report.tally)) tally[what] = (tally[what] ?? 0) + count;
    }
    console.log(tally);
  });
});
