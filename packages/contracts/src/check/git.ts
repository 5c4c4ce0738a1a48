import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ContractError } from '../contract-error.ts';

const run = promisify(execFile);
/** Schema files are small; a listing of a large repository is not read. */
export const MAX_OUTPUT_BYTES = 50_000_000;

/** For messages: what is missing in a shallow clone may well be there in the whole. */
export const SHALLOW_HINT = '; this is a shallow clone, fetch the whole history with its tags';

export async function isShallow(directory: string): Promise<boolean> {
  return (await git(['rev-parse', '--is-shallow-repository'], directory)) === 'true';
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
