import { expect, test } from 'vitest';
import { PATIENCE_MS, runTiny, tinyBench } from '../../test/tiny-bench.ts';
import { drain } from '../measure/drain.ts';

test(
  'P02: everybody drains everything, with handlers that do nothing, wait and post',
  async () => {
    const { measures, faults } = await runTiny('drain');
    expect(faults).toEqual([]);
    expect(measures.map(({ label }) => label)).toEqual([
      '300 messages, a handler that does nothing',
      'CPU of a message, process and PostgreSQL',
      'a handler that waits 1 ms',
      'a handler that posts over HTTP',
    ]);
    for (const { value, peers } of measures.filter(({ unit }) => unit === 'messages/s'))
      for (const rate of [value, ...Object.values(peers)]) expect(rate).toBeGreaterThan(0);
  },
  PATIENCE_MS,
);

test(
  'P02: claims and settlements are shared by many messages',
  async () => {
    const { verdict, statementsPerMessage } = await drain(tinyBench().server, {
      contender: 'waybill',
      load: { count: 3_000, keys: 0, bytes: 300 },
    });
    expect(verdict).toEqual({ lost: 0, repeated: 0, outOfOrder: 0 });
    // A statement for each message would be two and more; on a busy machine the claims are smaller.
    expect(statementsPerMessage).toBeLessThan(0.4);
  },
  PATIENCE_MS,
);
