import { posix } from 'node:path';
import { readSource, sourceFiles } from './files.ts';

/** The part of a package.json that the rules read. */
export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly type?: string;
  readonly license?: string;
  readonly packageManager?: string;
  readonly engines?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface WorkspacePackage {
  readonly name: string;
  readonly folder: string;
  readonly manifest: Manifest;
}

export const rootManifest: Manifest = readManifest('package.json');

export const workspacePackages: readonly WorkspacePackage[] = sourceFiles
  .filter(({ path }) => /^(packages|apps)\/.*\/?package\.json$/.test(path) && !path.includes('/fixtures/'))
  .map(({ path }) => {
    const manifest = readManifest(path);
    return { name: manifest.name, folder: posix.dirname(path), manifest };
  });

/** The specifiers under which a package can be imported. */
export function exportsOf({ name, manifest }: WorkspacePackage): readonly string[] {
  return Object.keys(manifest.exports ?? {}).map((subpath) => posix.join(name, subpath));
}

/** A package of the workspace by its folder. */
export function packageIn(folder: string): WorkspacePackage {
  const found = workspacePackages.find((candidate) => candidate.folder === folder);
  if (found === undefined) throw new Error(`No package in ${folder}.`);
  return found;
}

function readManifest(path: string): Manifest {
  return JSON.parse(readSource(path).text) as Manifest;
}
