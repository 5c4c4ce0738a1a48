import { expect, test } from 'vitest';
import { PATIENCE_MS, runTiny, tinyBench } from '../../test/tiny-bench.ts';
import { drain } from '../measure/drain.ts';

test(
  'P03: many keys are drained in order, beside named queues',
  async () => {
    const { measures, faults } = await runTiny('keyed');
    expect(faults).toEqual([]);
    expect(Object.keys(measures[0].peers)).toEqual(['graphile-worker', 'pg-boss']);
  },
  PATIENCE_MS,
);

test(
  'P03: messages of a key share its lease, and order costs no statement of its own',
  async () => {
    const { verdict, statementsPerMessage } = await drain(tinyBench().server, {
      contender: 'waybill',
      load: { count: 3_000, keys: 150, bytes: 300 },
    });
    expect(verdict).toEqual({ lost: 0, repeated: 0, outOfOrder: 0 });
    expect(statementsPerMessage).toBeLessThan(0.2);
  },
  PATIENCE_MS,
);
