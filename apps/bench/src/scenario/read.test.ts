import { expect, test } from 'vitest';
import { PATIENCE_MS, runTiny } from '../../test/tiny-bench.ts';

test(
  'P12: a small payload is parsed, validated and upcast in microseconds of CPU',
  async () => {
    const { measures } = await runTiny('read');
    // A fifth of the target: code is cold here, and a slow machine must not fail it.
    expect(measures[0].value).toBeGreaterThan(20_000);
    expect(measures[0].peers['JSON.parse']).toBeGreaterThan(measures[0].value);
  },
  PATIENCE_MS,
);
