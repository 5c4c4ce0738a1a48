import { expect, test } from 'vitest';
import { DEFAULT_LOOP_SETTINGS } from './settings.ts';

test('F064: what a killed process held waits for half a minute by default, and three heartbeats fit into a lease', () => {
  const { leaseMs, renewEveryMs } = DEFAULT_LOOP_SETTINGS.lease;
  expect(leaseMs).toBeLessThanOrEqual(30_000);
  expect(renewEveryMs * 3).toBeLessThanOrEqual(leaseMs);
});
