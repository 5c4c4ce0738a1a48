/** How much a release must announce: nothing, an annotation, an addition, something taken away. */
export const BUMPS = ['none', 'patch', 'minor', 'major'] as const;
export type Bump = (typeof BUMPS)[number];

export function largestBump(bumps: readonly Bump[]): Bump {
  return BUMPS[Math.max(0, ...bumps.map((bump) => BUMPS.indexOf(bump)))] ?? 'none';
}

/** The bumps that a changeset declares by package: the front matter of the file. */
export function changesetBumps(text: string): ReadonlyMap<string, Bump> {
  const front = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? '';
  const lines = front.split(/\r?\n/).map((line) => /^\s*["']?([^"':]+)["']?\s*:\s*(patch|minor|major)\s*$/.exec(line));
  return new Map(
    lines.flatMap((match) =>
      match === null ? [] : [[match[1] ?? '', BUMPS.find((bump) => bump === match[2]) ?? 'none'] as const],
    ),
  );
}

/** What is missing, or null: no changeset of the branch announces enough for the package. */
export function missingChangeset(
  packageName: string,
  needed: Bump,
  changesets: readonly string[],
): { readonly file: string; readonly text: string } | null {
  const declared = largestBump(changesets.map((text) => changesetBumps(text).get(packageName) ?? 'none'));
  if (BUMPS.indexOf(declared) >= BUMPS.indexOf(needed)) return null;
  const slug = packageName.replace(/[^a-z0-9]+/gi, '-').replace(/^-/, '');
  return {
    file: `.changeset/${slug}-${needed}.md`,
    text: `---\n'${packageName}': ${needed}\n---\n\nSay what changed in the contracts, and what readers have to do.\n`,
  };
}
