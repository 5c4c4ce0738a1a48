import { expect, test } from 'vitest';
import { measureOf, PATIENCE_MS, runTiny } from '../../test/tiny-bench.ts';

test(
  'P08: the time from commit to handler is measured of every message, at a steady rate',
  async () => {
    const findings = await runTiny('latency');
    expect(findings.faults).toEqual([]);
    const { value, peers } = measureOf(findings, '100/s, p50');
    // A dispatcher that only looked once a second would be at half a second.
    expect(value).toBeGreaterThan(0);
    expect(Object.keys(peers)).toEqual(['graphile-worker']);
  },
  PATIENCE_MS,
);
