import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { readIfThere } from '../cli/project.ts';
import { ContractError } from '../contract-error.ts';
import { type ReadSchemaFile, type SchemaTree, schemaTree } from '../freeze/schema-tree.ts';

const run = promisify(execFile);
/** Schema files are small; a listing of a large repository is not read. */
const MAX_OUTPUT_BYTES = 50_000_000;

/** The old side of a check: frozen schemas that are published already. */
export interface Base {
  readonly name: string;
  readonly tree: SchemaTree;
  /** Whether the base has the file, from the root of the repository; null where a base knows no other files. */
  hasFile(file: string): Promise<boolean | null>;
}

/**
 * Opens a base: a folder, a package tarball, or a git ref. The old side is read from the ref itself, never from the work tree.
 *
 * @throws ContractError `CTR_BASE_MISSING` for a base that is not there; a shallow clone says so.
 */
export async function openBase(against: string, directory: string, schemasDirectory: string): Promise<Base> {
  const path = join(directory, against);
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() === true)
    return base(against, (file) =>
      readIfThere(join(path, file)).then((text) => text ?? readIfThere(join(path, 'schemas', file))),
    );
  if (/\.(tgz|tar\.gz)$/.test(against)) return base(against, (file) => fromTarball(path, `package/schemas/${file}`));
  return gitBase(against, directory, schemasDirectory);
}

async function base(
  name: string,
  read: ReadSchemaFile,
  hasFile: Base['hasFile'] = () => Promise.resolve(null),
): Promise<Base> {
  return { name, tree: await schemaTree(read, name), hasFile };
}

/** The commit to compare with is where the branch left the ref, so that work on the ref since then is not blamed on the branch. */
async function gitBase(ref: string, directory: string, schemasDirectory: string): Promise<Base> {
  const commit = await mergeBase(ref, directory);
  const root = (await git(['rev-parse', '--show-toplevel'], directory)) ?? directory;
  const folder = relative(root, schemasDirectory);
  const show = (file: string) => git(['show', `${commit}:${file}`], root, false);
  return base(
    ref,
    (file) => show(join(folder, file)),
    async (file) => (await git(['cat-file', '-t', `${commit}:${file}`], root)) !== null,
  );
}

async function mergeBase(ref: string, directory: string): Promise<string> {
  const commit = await git(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], directory);
  const shallow = (await git(['rev-parse', '--is-shallow-repository'], directory)) === 'true';
  const hint = shallow ? '; this is a shallow clone, fetch the whole history' : '';
  if (commit === null)
    throw new ContractError(
      'CTR_BASE_MISSING',
      `${ref}: is neither a folder, nor a tarball, nor a git ref here${hint}`,
    );
  const common = await git(['merge-base', 'HEAD', commit], directory);
  if (common === null) throw new ContractError('CTR_BASE_MISSING', `${ref}: has no common history with HEAD${hint}`);
  return common;
}

/** Standard output of git, or null where it fails, which for these questions means "no such thing". */
export async function git(args: readonly string[], directory: string, trim = true): Promise<string | null> {
  try {
    const { stdout } = await run('git', [...args], { cwd: directory, maxBuffer: MAX_OUTPUT_BYTES });
    return trim ? stdout.trim() : stdout;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new ContractError('CTR_BASE_MISSING', 'git is not installed', [], { cause: error });
    return null;
  }
}

async function fromTarball(tarball: string, file: string): Promise<string | null> {
  if ((await stat(tarball).catch(() => null)) === null)
    throw new ContractError('CTR_BASE_MISSING', `${tarball}: is not there`);
  const { stdout: list } = await run('tar', ['-tzf', tarball], { maxBuffer: MAX_OUTPUT_BYTES });
  if (!list.split('\n').includes(file)) return null;
  return (await run('tar', ['-xzOf', tarball, file], { maxBuffer: MAX_OUTPUT_BYTES })).stdout;
}
