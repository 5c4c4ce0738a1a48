import { ContractError } from '../contract-error.ts';
import { git, isShallow, SHALLOW_HINT } from './git.ts';

/**
 * Where the branch left main, and the last release of each package: a tag `<package>@<version>`, as changesets writes it, or `v<version>`.
 *
 * @throws ContractError `CTR_BASE_MISSING` where there is no main, or where a shallow clone hides what there is.
 */
export async function defaultBases(packageNames: readonly string[], directory: string): Promise<readonly string[]> {
  const shallow = await isShallow(directory);
  const main = await firstRef(['origin/main', 'main'], directory);
  if (main === null)
    throw new ContractError(
      'CTR_BASE_MISSING',
      `there is no branch main to compare with; name a base with --against <git ref | folder | tarball>${shallow ? SHALLOW_HINT : ''}`,
    );
  const releases = await Promise.all(packageNames.map((name) => lastRelease(name, directory)));
  const found = releases.filter((tag) => tag !== null);
  if (shallow && found.length < packageNames.length)
    throw new ContractError('CTR_BASE_MISSING', `the last release cannot be told${SHALLOW_HINT}`);
  return [...new Set([main, ...found])];
}

async function firstRef(refs: readonly string[], directory: string): Promise<string | null> {
  for (const ref of refs) if ((await git(['rev-parse', '--verify', '--quiet', ref], directory)) !== null) return ref;
  return null;
}

async function lastRelease(packageName: string, directory: string): Promise<string | null> {
  for (const pattern of [`${packageName}@*`, 'v[0-9]*']) {
    const tag = await git(['describe', '--tags', '--abbrev=0', '--match', pattern], directory);
    if (tag !== null) return tag;
  }
  return null;
}
