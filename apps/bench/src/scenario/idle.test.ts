import { expect, test } from 'vitest';
import { measureOf, PATIENCE_MS, runTiny } from '../../test/tiny-bench.ts';

test(
  'P09: a dispatcher with nothing to do asks a few times a second, and rests',
  async () => {
    const findings = await runTiny('idle');
    // A loop at its busy pace asks two hundred times.
    expect(measureOf(findings, 'statements').value).toBeLessThan(20);
    expect(measureOf(findings, 'CPU').value).toBeLessThan(50);
  },
  PATIENCE_MS,
);
