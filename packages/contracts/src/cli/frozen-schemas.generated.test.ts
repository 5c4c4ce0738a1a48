import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommandLine } from './program.ts';

const root = join(import.meta.dirname, '../../../..');
/** From source, so that nothing has to be built first; root package.json names the same package. */
const contracts = ['--contracts', 'apps/examples/github-contracts/src/index.ts'];

/** Runs a command at the root of the repository and gives what it complains about. */
async function complaints(...args: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  const code = await runCommandLine([...args, ...contracts], { directory: root, print: say, tell: say }, '2026-01-01');
  return code === 0 ? '' : lines.join('\n');
}

test('D02 V08: schemas/messages holds what the contracts of the repository generate; else run pnpm contracts freeze', async () => {
  expect(await complaints('gen', '--check')).toBe('');
  expect(await complaints('check', '--against', 'schemas')).toBe('');
});
