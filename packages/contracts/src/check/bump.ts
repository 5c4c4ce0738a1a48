/** How much a release must announce: nothing, an annotation, an addition, something taken away. */
export const BUMPS = ['none', 'patch', 'minor', 'major'] as const;
export type Bump = (typeof BUMPS)[number];

export function largestBump(bumps: readonly Bump[]): Bump {
  return BUMPS[Math.max(0, ...bumps.map((bump) => BUMPS.indexOf(bump)))] ?? 'none';
}

/** The bumps that a changeset declares by package: the front matter of the file. */
export function changesetBumps(text: string): ReadonlyMap<string, Bump> {
  const front = /^\uFEFF?\s*---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? '';
  const lines = front
    .split(/\r?\n/)
    .map((line) => /^\s*["']?([^"':]+)["']?\s*:\s*["']?(patch|minor|major)["']?\s*(#.*)?$/.exec(line));
  return new Map(
    lines.flatMap((match) =>
      match === null ? [] : [[match[1] ?? '', BUMPS.find((bump) => bump === match[2]) ?? 'none'] as const],
    ),
  );
}

/** The bump between two versions of a package: what a release has announced already. A first version, or an unreadable one, announces nothing. */
export function bumpBetween(before: string, now: string): Bump {
  const [old, next] = [before, now].map((version) => /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number));
  if (old === undefined || next === undefined) return 'none';
  const first = next.findIndex((part, index) => part !== old[index]);
  if (first < 0 || (next[first] ?? 0) < (old[first] ?? 0)) return 'none';
  return (['major', 'minor', 'patch'] as const)[first] ?? 'none';
}

/** The changeset that is missing, or null: what is announced for the package is enough. */
export function missingChangeset(
  packageName: string,
  needed: Bump,
  announced: Bump,
): { readonly file: string; readonly text: string } | null {
  if (BUMPS.indexOf(announced) >= BUMPS.indexOf(needed)) return null;
  const slug = packageName.replace(/[^a-z0-9]+/gi, '-').replace(/^-/, '');
  return {
    file: `.changeset/${slug}-${needed}.md`,
    text: `---\n'${packageName}': ${needed}\n---\n\nSay what changed in the contracts, and what readers have to do.\n`,
  };
}
