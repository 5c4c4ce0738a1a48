import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ContractError } from '../contract-error.ts';

/** Larger files are refused; the largest schema in public use that we know of has 3 MB. */
const MAX_FILE_BYTES = 20_000_000;

/** @throws ContractError `CTR_INPUT_UNREADABLE` naming the file: missing, too large, not JSON. */
export async function readJsonFile(file: string, directory: string): Promise<unknown> {
  return parseJsonText(await readTextFile(file, directory), file);
}

export async function readTextFile(file: string, directory: string): Promise<string> {
  const path = resolve(directory, file);
  try {
    const { size } = await stat(path);
    if (size > MAX_FILE_BYTES)
      throw new ContractError(
        'CTR_INPUT_UNREADABLE',
        `${file}: has ${size} bytes; more than ${MAX_FILE_BYTES} are not read`,
      );
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof ContractError) throw error;
    throw new ContractError(
      'CTR_INPUT_UNREADABLE',
      `${file}: cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'error'})`,
      [],
      { cause: error },
    );
  }
}

/** Nobody writes deeper ones, and what walks a value runs on the stack. A schema may nest 200 levels, of two or three each. */
const MAX_NESTING = 1_000;

/** Schemas keep every member name, `__proto__` included: they are compared, never merged. */
export function parseJsonText(text: string, name: string): unknown {
  const value = parsed(text, name);
  if (isNestedDeeper(value, MAX_NESTING))
    throw new ContractError('CTR_INPUT_UNREADABLE', `${name}: is nested deeper than ${MAX_NESTING} levels`);
  return value;
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ContractError(
      'CTR_INPUT_UNREADABLE',
      `${name}: is not JSON (${error instanceof Error ? error.message : 'error'})`,
      [],
      { cause: error },
    );
  }
}

/** Level by level, so that the answer itself needs no stack. */
function isNestedDeeper(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((part): readonly unknown[] =>
      typeof part === 'object' && part !== null ? Object.values(part) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}
