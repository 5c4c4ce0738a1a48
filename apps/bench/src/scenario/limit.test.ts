import { expect, test } from 'vitest';
import { PATIENCE_MS, runTiny, tinyBench } from '../../test/tiny-bench.ts';
import { drain } from '../measure/drain.ts';

test(
  'P11: we drain beside the least SQL that keeps the guarantee',
  async () => {
    const { measures, faults } = await runTiny('limit');
    expect(faults).toEqual([]);
    expect(measures[0].ratio).toBeGreaterThan(0);
  },
  PATIENCE_MS,
);

test(
  'P11: leases, fences and history cost a few times the blocks of the limit',
  async () => {
    const { server } = tinyBench();
    const load = { count: 2_000, keys: 0, bytes: 300 };
    const ours = await drain(server, { contender: 'waybill', load });
    const least = await drain(server, { contender: 'limit', load });
    expect(ours.blocksPerMessage).toBeLessThan(10 * least.blocksPerMessage);
  },
  PATIENCE_MS,
);
