import { expect, test } from 'vitest';
import { PATIENCE_MS, runTiny, tinyBench } from '../../test/tiny-bench.ts';
import { drain } from '../measure/drain.ts';

const load = { count: 500, keys: 500, bytes: 300 };

test(
  'P05: everything behind a stuck key is drained, and nothing of the key',
  async () => {
    const { measures, faults } = await runTiny('stuck');
    expect(faults).toEqual([]);
    expect(measures[0].value).toBeGreaterThan(0);
  },
  PATIENCE_MS,
);

test(
  'P05: a stuck key costs the others next to no blocks',
  async () => {
    const { server } = tinyBench();
    const free = await drain(server, { contender: 'waybill', load });
    const behind = await drain(server, { contender: 'waybill', load, stuck: 10_000 });
    expect(behind.verdict).toEqual({ lost: 0, repeated: 0, outOfOrder: 0 });
    expect(behind.blocksPerMessage).toBeLessThan(2.5 * free.blocksPerMessage);
  },
  PATIENCE_MS,
);
