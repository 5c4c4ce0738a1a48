import { expect, test } from 'vitest';
import { PATIENCE_MS, runTiny } from '../../test/tiny-bench.ts';

test(
  'P06: a claim looks at as many blocks in front of a large backlog as in front of a small one',
  async () => {
    const { measures, faults } = await runTiny('backlog');
    expect(faults).toEqual([]);
    const blocks = measures.filter(({ unit }) => unit === 'blocks');
    expect(blocks).toHaveLength(5);
    // A small table has flatter indexes; a walk through the backlog would be five times as much.
    for (const { label, ratio } of blocks) expect(ratio, label).toBeLessThan(2.5);
  },
  PATIENCE_MS,
);
