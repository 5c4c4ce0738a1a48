import { expect, test } from 'vitest';
import { PATIENCE_MS, runTiny } from '../../test/tiny-bench.ts';

test(
  'P13: four processes drain one backlog without loss, deadlock or failed statement',
  async () => {
    const { measures, faults } = await runTiny('scale');
    expect(faults).toEqual([]);
    expect(measures[0].value).toBeGreaterThan(0);
  },
  PATIENCE_MS,
);
