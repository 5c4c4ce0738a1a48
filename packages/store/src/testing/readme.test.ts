import { readFileSync } from 'node:fs';
import { testDatabase } from '@waybill/local-postgres/vitest';
import { expect, test } from 'vitest';
import { simulateShop } from '../../test/examples/simulate-rollout.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

test('V10: the example in the README of the test kit is the one that compiles', () => {
  const [, body] = /: Promise<void> \{\n(.*?)\n\}\n/s.exec(read('../../test/examples/simulate-rollout.ts')) ?? [];
  expect(read('../../../testkit/README.md')).toContain(String(body).replaceAll(/^ {2}/gm, ''));
});

test('V10: users can simulate the releases of their own contract package', { timeout: 300_000 }, async () => {
  await using database = await testDatabase({ empty: true });
  await simulateShop(database.url);
});
