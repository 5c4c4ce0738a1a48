import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ContractError } from '../contract-error.ts';
import { collisions } from '../definition/contract-package.ts';
import type { AnyMessage } from '../definition/message.ts';
import { type SchemaTree, schemaTree } from '../freeze/schema-tree.ts';
import { type LoadedContracts, loadContracts } from './load-contracts.ts';
import type { OutputOptions, Terminal } from './terminal.ts';

/** Options of the commands that work on contracts and their frozen schemas. */
export interface ProjectOptions extends OutputOptions {
  readonly contracts?: readonly string[];
  readonly schemas: string;
}

/** The contracts in code beside the frozen schemas of the work tree. */
export interface Project {
  readonly packages: readonly LoadedContracts[];
  readonly messages: readonly AnyMessage[];
  readonly tree: SchemaTree;
  /** The folder that holds `messages/`. */
  readonly schemasDirectory: string;
}

export async function openProject(terminal: Terminal, options: ProjectOptions): Promise<Project> {
  const packages = await loadContracts(options.contracts ?? [], terminal.directory);
  const twice = collisions(packages.map(({ contracts }) => contracts));
  if (twice.length > 0)
    throw new ContractError('CTR_PACKAGES_INVALID', 'the contract packages cannot be used together:', twice);
  const schemasDirectory = resolve(terminal.directory, options.schemas);
  return {
    packages,
    messages: packages.flatMap(({ contracts }) => contracts.messages),
    tree: await schemaTree((file) => readIfThere(join(schemasDirectory, file)), 'the work tree'),
    schemasDirectory,
  };
}

/** A file's text, or null when there is none. */
export function readIfThere(path: string): Promise<string | null> {
  return ifThere(path, null, () => readFile(path, 'utf8'));
}

/** What a folder holds: nothing when there is none. */
export function listIfThere(path: string): Promise<readonly string[]> {
  return ifThere<readonly string[]>(path, [], () => readdir(path));
}

async function ifThere<T>(path: string, absent: T, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return absent;
    throw new ContractError('CTR_INPUT_UNREADABLE', `${path}: cannot be read`, [], { cause: error });
  }
}
