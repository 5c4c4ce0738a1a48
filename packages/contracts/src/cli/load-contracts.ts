import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ContractError } from '../contract-error.ts';
import { type ContractPackage, packageProblems } from '../definition/contract-package.ts';
import { isSchemaObject } from '../validation/plain-schema.ts';
import { readJsonFile } from './read-json-file.ts';

/** Contract packages of a work tree, each with the npm package that publishes it. */
export interface LoadedContracts {
  readonly contracts: ContractPackage;
  readonly packageName: string;
  readonly packageVersion: string;
  /** Marked `private`, so never published: its changes need no announcement. */
  readonly isPrivate: boolean;
  readonly directory: string;
}

/**
 * Loads contract packages from folders (through the package's main export) or from module files.
 *
 * @param paths as given on the command line; else those of `waybill.contracts` in package.json, else the folder itself.
 * @throws ContractError `CTR_INPUT_UNREADABLE` for a module that cannot be loaded or exports no contract package.
 */
export async function loadContracts(paths: readonly string[], directory: string): Promise<readonly LoadedContracts[]> {
  const chosen = paths.length > 0 ? paths : await configuredPaths(directory);
  return Promise.all([...new Set(chosen.map((path) => resolve(directory, path)))].map(loadOne));
}

async function configuredPaths(directory: string): Promise<readonly string[]> {
  const manifest = await readJsonFile('package.json', directory);
  const waybill = isSchemaObject(manifest) ? manifest['waybill'] : undefined;
  const contracts = isSchemaObject(waybill) ? waybill['contracts'] : undefined;
  return Array.isArray(contracts) ? contracts.map(String) : ['.'];
}

async function loadOne(path: string): Promise<LoadedContracts> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const directory = isFolder ? path : join(path, '..');
  const manifest = await readJsonFile('package.json', directory).catch((error: unknown) =>
    isFolder ? Promise.reject(error as Error) : {},
  );
  const file = isFolder ? join(path, mainOf(manifest)) : path;
  const module = await importModule(file);
  const contracts = Object.values(module).find(isContractPackage);
  if (contracts === undefined)
    throw new ContractError(
      'CTR_INPUT_UNREADABLE',
      `${file}: exports no contract package; export the result of defineContracts(...)`,
    );
  const problems = packageProblems(contracts);
  if (problems.length > 0)
    throw new ContractError('CTR_PACKAGES_INVALID', `${file}: the contract package is not usable:`, problems);
  const { name = contracts.name, version = '0.0.0', private: isPrivate } = isSchemaObject(manifest) ? manifest : {};
  return {
    contracts,
    packageName: String(name),
    packageVersion: String(version),
    isPrivate: isPrivate === true,
    directory,
  };
}

function mainOf(manifest: unknown): string {
  const exported =
    isSchemaObject(manifest) && isSchemaObject(manifest['exports']) ? manifest['exports']['.'] : undefined;
  const main = isSchemaObject(exported)
    ? (exported['default'] ?? exported['import'])
    : (exported ?? (isSchemaObject(manifest) ? manifest['main'] : undefined));
  return typeof main === 'string' ? main : 'index.js';
}

async function importModule(file: string): Promise<object> {
  try {
    return (await import(pathToFileURL(file).href)) as object;
  } catch (error) {
    throw new ContractError(
      'CTR_INPUT_UNREADABLE',
      `${file}: cannot be loaded (${error instanceof Error ? error.message : 'error'}); is the package built?`,
      [],
      { cause: error },
    );
  }
}

/** By shape, since the package may use another copy of this library. */
function isContractPackage(value: unknown): value is ContractPackage {
  return (
    isSchemaObject(value) &&
    typeof value['name'] === 'string' &&
    Array.isArray(value['messages']) &&
    Array.isArray(value['events'])
  );
}
