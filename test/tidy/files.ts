import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A text file of the repository; `path` is relative to its root, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export const root: string = join(import.meta.dirname, '..', '..');

const BINARY = /\.(png|jpg|ico|gz|tgz|woff2)$/;

/** Every file that is tracked or about to be: what Git neither ignores nor has seen deleted. */
export const sourceFiles: readonly SourceFile[] = listed()
  .filter((path) => !BINARY.test(path) && existsSync(join(root, path)))
  .map(readSource);

export function readSource(path: string): SourceFile {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

function listed(): readonly string[] {
  // A checkout may belong to another user than the one who runs CI; listing it is harmless.
  const git = ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const output = execFileSync('git', git, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return output.split('\0').filter((path) => path !== '');
}

export function isCode(path: string): boolean {
  return /\.(ts|mts|js|mjs)$/.test(path);
}

/** Tests, and what only tests use: files in a folder `test`, and programs that a test starts. */
export function isTest(path: string): boolean {
  return /\.(test|fixture)\.ts$|(^|\/)test\//.test(path);
}
