import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const text = (path: string): Promise<string> => readFile(new URL(`../../../../${path}`, import.meta.url), 'utf8');

test('the README shows the results that are kept beside the benchmark', async () => {
  expect(await text('README.md')).toContain(await text('apps/bench/results/summary.md'));
});
