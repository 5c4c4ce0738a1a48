import { expect, test } from 'vitest';
import { measureOf, PATIENCE_MS, runTiny, tinyBench } from '../../test/tiny-bench.ts';
import { startServer } from '../measure/server.ts';

test(
  'P10: a payload is written once, so that claim and settlement cost the same whatever its size',
  async () => {
    // WAL is one for all databases of a server.
    const server = await startServer();
    const findings = await runTiny('wal', tinyBench(server)).finally(() => server.stop());
    expect(findings.faults).toEqual([]);
    const large = measureOf(findings, '8 kB, from claim');
    const small = measureOf(findings, '300 B, from claim');
    expect(large.value).toBeLessThan(1.7 * small.value);
    // A job that carries its payload writes it anew with each change.
    expect(large.ratio).toBeLessThan(0.6);
  },
  PATIENCE_MS,
);
