import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readIfThere } from '../cli/project.ts';
import { parseJsonText } from '../cli/read-json-file.ts';
import { isSchemaObject } from '../validation/plain-schema.ts';
import type { Base } from './base.ts';
import { type Bump, changesetBumps, largestBump } from './bump.ts';
import { git } from './git.ts';

/** What a branch announces: its changesets, and the groups of packages that changesets releases together. */
export interface Announcements {
  readonly changesets: readonly string[];
  /** All packages of a group get the largest bump of any. Names, where `*` stands for what is not a slash and `!` excludes. */
  readonly fixed: readonly (readonly string[])[];
  /** Those packages of a group that are released at all get the largest bump of any. */
  readonly linked: readonly (readonly string[])[];
}

/** What the base does not have; null for a base that knows nothing of changesets. */
export async function announcementsSince(base: Base, directory: string): Promise<Announcements | null> {
  const root = await git(['rev-parse', '--show-toplevel'], directory);
  if (root === null || (await base.hasFile('package.json')) === null) return null;
  const folder = join(root, '.changeset');
  const names = await readdir(folder).catch(() => []);
  const changesets: string[] = [];
  for (const name of names.filter((file) => file.endsWith('.md') && file !== 'README.md')) {
    if ((await base.hasFile(relative(root, join(folder, name)))) === false)
      changesets.push((await readIfThere(join(folder, name))) ?? '');
  }
  const text = await readIfThere(join(folder, 'config.json'));
  const config = text === null ? null : parseJsonText(text, '.changeset/config.json');
  const groups = (key: string) => (isSchemaObject(config) ? groupsIn(config[key]) : []);
  return { changesets, fixed: groups('fixed'), linked: groups('linked') };
}

function groupsIn(value: unknown): readonly (readonly string[])[] {
  return Array.isArray(value)
    ? value.filter((group) => Array.isArray(group)).map((group: readonly unknown[]) => group.map(String))
    : [];
}

/** What is announced for a package: by its own changesets, and by those that lift its groups. */
export function announcedBump(packageName: string, { changesets, fixed, linked }: Announcements): Bump {
  const declared = changesets.flatMap((text) => [...changesetBumps(text)]);
  const largest = (isMeant: (name: string) => boolean) =>
    largestBump(declared.filter(([name]) => isMeant(name)).map(([, bump]) => bump));
  const ofGroups = (groups: readonly (readonly string[])[]) =>
    groups.filter((group) => belongs(packageName, group)).map((group) => largest((name) => belongs(name, group)));
  const own = largestBump([largest((name) => name === packageName), ...ofGroups(fixed)]);
  return own === 'none' ? own : largestBump([own, ...ofGroups(linked)]);
}

function belongs(packageName: string, group: readonly string[]): boolean {
  const isMatch = (pattern: string) =>
    new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '[^/]*')}$`).test(packageName);
  return (
    group.some((pattern) => !pattern.startsWith('!') && isMatch(pattern)) &&
    !group.some((pattern) => pattern.startsWith('!') && isMatch(pattern.slice(1)))
  );
}
