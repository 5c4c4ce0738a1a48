import { expect, test } from 'vitest';
import { PATIENCE_MS, runTiny, tinyBench } from '../../test/tiny-bench.ts';
import { drain } from '../measure/drain.ts';

test(
  'P04: one hot key is drained in order, beside one named queue',
  async () => {
    const { measures, faults } = await runTiny('hot');
    expect(faults).toEqual([]);
    // Ten times would be a wonder for a queue that hands out one job at a time; the target is a hundred.
    expect(measures[0].ratio).toBeGreaterThan(2);
  },
  PATIENCE_MS,
);

test(
  'P04: a run of the hot key costs a claim and a few settlements',
  async () => {
    const { verdict, statementsPerMessage } = await drain(tinyBench().server, {
      contender: 'waybill',
      load: { count: 2_000, keys: 1, bytes: 300 },
    });
    expect(verdict).toEqual({ lost: 0, repeated: 0, outOfOrder: 0 });
    expect(statementsPerMessage).toBeLessThan(0.5);
  },
  PATIENCE_MS,
);
