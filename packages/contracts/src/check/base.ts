import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join, posix, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { readIfThere } from '../cli/project.ts';
import { ContractError } from '../contract-error.ts';
import { LOCK_FILE } from '../freeze/lock.ts';
import { type ReadSchemaFile, type SchemaTree, schemaTree } from '../freeze/schema-tree.ts';
import { git, isShallow, MAX_OUTPUT_BYTES, SHALLOW_HINT } from './git.ts';

const run = promisify(execFile);

/** The old side of a check: frozen schemas that are published already. */
export interface Base {
  readonly name: string;
  readonly tree: SchemaTree;
  /** Whether the base has the file, from the root of the repository; null where a base knows no other files. */
  hasFile(file: string): Promise<boolean | null>;
  /** The text of a file that the base has, from the root of the repository. */
  readFile(file: string): Promise<string | null>;
}

/**
 * Opens a base: a folder, a package tarball, or a git ref. The old side is read from the ref itself, never from the work tree.
 *
 * @throws ContractError `CTR_BASE_MISSING` for a base that is not there; a shallow clone says so.
 */
export async function openBase(against: string, directory: string, schemasDirectory: string): Promise<Base> {
  // An empty variable of a CI script would name the folder itself, which differs from itself in nothing.
  if (against === '') throw new ContractError('CTR_BASE_MISSING', '--against: names no base');
  const path = resolve(directory, against);
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() === true)
    return published(
      against,
      async (file) => (await readIfThere(join(path, file))) ?? readIfThere(join(path, 'schemas', file)),
    );
  if (/\.(tgz|tar\.gz)$/.test(against)) return published(against, await tarballReader(path));
  return gitBase(against, directory, schemasDirectory);
}

/** A folder or a tarball stands for something that is published, so no frozen schemas in it are a mistake, not a beginning. */
async function published(name: string, read: ReadSchemaFile): Promise<Base> {
  if ((await read(LOCK_FILE)) === null)
    throw new ContractError('CTR_BASE_MISSING', `${name}: holds no frozen schemas (no ${LOCK_FILE})`);
  return {
    name,
    tree: await schemaTree(read, name),
    hasFile: () => Promise.resolve(null),
    readFile: () => Promise.resolve(null),
  };
}

/** The commit to compare with is where the branch left the ref, so that work on the ref since then is not blamed on the branch. */
async function gitBase(ref: string, directory: string, schemasDirectory: string): Promise<Base> {
  const commit = await mergeBase(ref, directory);
  const prefix = (await git(['rev-parse', '--show-prefix'], directory)) ?? '';
  const folder = posix.join(prefix, relative(directory, schemasDirectory).replaceAll('\\', '/'));
  const read = (file: string) => git(['show', `${commit}:${posix.join(folder, file)}`], directory, false);
  const hasFile = async (file: string) => (await git(['cat-file', '-t', `${commit}:${file}`], directory)) !== null;
  const readFile = (file: string) => git(['show', `${commit}:${file}`], directory, false);
  return { name: ref, tree: await schemaTree(read, ref), hasFile, readFile };
}

async function mergeBase(ref: string, directory: string): Promise<string> {
  const commit = await git(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], directory);
  const hint = (await isShallow(directory)) ? SHALLOW_HINT : '';
  if (commit === null)
    throw new ContractError(
      'CTR_BASE_MISSING',
      `${ref}: is neither a folder, nor a tarball, nor a git ref here${hint}`,
    );
  const common = await git(['merge-base', 'HEAD', commit], directory);
  if (common === null) throw new ContractError('CTR_BASE_MISSING', `${ref}: has no common history with HEAD${hint}`);
  return common;
}

async function tarballReader(tarball: string): Promise<ReadSchemaFile> {
  const files = new Set((await tar(['-tzf', tarball], tarball)).split('\n'));
  return async (file) => {
    const path = `package/schemas/${file}`;
    return files.has(path) ? tar(['-xzOf', tarball, path], tarball) : null;
  };
}

async function tar(args: readonly string[], tarball: string): Promise<string> {
  try {
    return (await run('tar', [...args], { maxBuffer: MAX_OUTPUT_BYTES })).stdout;
  } catch (error) {
    throw new ContractError('CTR_BASE_MISSING', `${tarball}: is not there, or no tarball of a package`, [], {
      cause: error,
    });
  }
}
