import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyCheckout } from './copy-checkout.ts';
import type { Mutation } from './ids.ts';
import { tally } from './report.ts';
import { runSuite } from './run-suite.ts';

export interface MutationResult {
  readonly mutation: Mutation;
  /** `caught`: a test of the id failed. `survived`: none did. `stale`: the text to break is not there, or in several places. */
  readonly outcome: 'caught' | 'survived' | 'stale';
}

/** Applies each break in turn to a copy of the checkout in `root` and runs the test that must notice it. */
export async function runMutations(root: string, mutations: readonly Mutation[]): Promise<readonly MutationResult[]> {
  const copy = await mkdtemp(join(tmpdir(), 'waybill-mutation-'));
  try {
    await copyCheckout(root, copy);
    const results: MutationResult[] = [];
    for (const mutation of mutations) results.push({ mutation, outcome: await tryMutation(copy, mutation) });
    return results;
  } finally {
    await rm(copy, { recursive: true });
  }
}

async function tryMutation(
  copy: string,
  { id, file, find, replace, test }: Mutation,
): Promise<MutationResult['outcome']> {
  const path = join(copy, file);
  const original = await readFile(path, 'utf8');
  const broken = applyBreak(original, find, replace);
  if (broken === undefined) return 'stale';
  await writeFile(path, broken);
  try {
    // A test of the id itself must fail: a file that no longer loads would be red for the wrong reason.
    return tally(await runSuite(copy, [test])).failing.has(id) ? 'caught' : 'survived';
  } finally {
    await writeFile(path, original);
  }
}

/** The text with its one occurrence of `find` replaced; undefined when there is none, or more than one. */
export function applyBreak(text: string, find: string, replace: string): string | undefined {
  const parts = text.split(find);
  return parts.length === 2 ? parts.join(replace) : undefined;
}
