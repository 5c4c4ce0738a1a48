import { expect, test } from 'vitest';
import { measureOf, PATIENCE_MS, runTiny } from '../../test/tiny-bench.ts';

test(
  'P07: an old snapshot of somebody else does not make the end of a drain look at more blocks',
  async () => {
    const findings = await runTiny('held');
    expect(findings.faults).toEqual([]);
    expect(measureOf(findings, 'the last 20 of 1000').value).toBeGreaterThanOrEqual(0);
    expect(measureOf(findings, 'blocks a message').ratio).toBeLessThan(2);
  },
  PATIENCE_MS,
);
