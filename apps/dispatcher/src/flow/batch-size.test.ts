import { expect, test } from 'vitest';
import { BatchSize } from './batch-size.ts';

const LEASE_MS = 30_000;

function after(ms: number, records: number, maxBatch = 256): number {
  const size = new BatchSize(maxBatch, LEASE_MS);
  for (let n = 0; n < records; n += 1) size.record(ms);
  return size.records;
}

test('T04: nothing is known of a target at first, so one record goes alone', () => {
  expect(after(1, 0)).toBe(1);
});

test('T04: a quick target gets as many as it takes, a slow one as many as it is through with long before the lease ends', () => {
  expect(after(1, 100)).toBe(256);
  expect(after(100, 100)).toBe(29);
  expect(after(2_000, 100)).toBe(1);
  expect(after(60_000, 100)).toBe(1);
});

test('T04: a target that becomes slow gets less within a few records', () => {
  const size = new BatchSize(256, LEASE_MS);
  for (let n = 0; n < 100; n += 1) size.record(1);
  for (let n = 0; n < 5; n += 1) size.record(1_000);
  expect(size.records).toBeLessThan(10);
});
