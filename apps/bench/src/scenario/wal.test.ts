import { expect, test } from 'vitest';
import { measureOf, runTiny } from '../../test/tiny-bench.ts';

test('P10: a large payload is written once', async () => {
  const findings = await runTiny('wal');
  expect(findings.faults).toEqual([]);
  expect(measureOf(findings, '8 kB').ratio).toBeLessThan(0.6);
  expect(measureOf(findings, '300 B').value).toBeLessThan(5_000);
});
