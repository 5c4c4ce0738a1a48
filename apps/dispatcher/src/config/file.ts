import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createJiti } from 'jiti';
import { ConfigError } from './problem.ts';

/** The names that are looked for, the first one that exists wins. */
export const CONFIG_FILES: readonly string[] = ['ts', 'mts', 'mjs', 'js'].map(
  (extension) => `dispatcher.config.${extension}`,
);

/** The file that was asked for, else the one with a usual name in `directory`; undefined when there is none. */
export function findConfigFile(directory: string, asked: string | undefined): string | undefined {
  if (asked !== undefined) {
    const path = resolve(directory, asked);
    if (!existsSync(path))
      throw new ConfigError('DSP_CONFIG_FILE', [`--config: expected a file, got nothing at ${path}`]);
    return path;
  }
  return CONFIG_FILES.map((name) => resolve(directory, name)).find((path) => existsSync(path));
}

/**
 * Imports a configuration file and returns its default export. TypeScript needs no build step.
 * @throws ConfigError `DSP_CONFIG_FILE` when it cannot be imported (the cause is kept) or exports no default
 */
export async function importConfigFile(path: string): Promise<unknown> {
  const module = await importModule(path);
  if (typeof module !== 'object' || module === null || !('default' in module) || module.default === undefined) {
    throw new ConfigError('DSP_CONFIG_FILE', [
      `${path}: expected "export default defineDispatcher({ ... })", got no default export`,
    ]);
  }
  return module.default;
}

async function importModule(path: string): Promise<unknown> {
  try {
    const isTypeScript = ['.ts', '.mts'].includes(extname(path));
    // Plain JavaScript is Node's own business; only TypeScript goes through the transpiler.
    if (!isTypeScript) return await import(pathToFileURL(path).href);
    // No cache on disk: the file is read once a start, and the disk may be read-only.
    return await createJiti(import.meta.url, { interopDefault: false, fsCache: false }).import(path);
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new ConfigError('DSP_CONFIG_FILE', [`${path}: cannot be loaded: ${reason}`], { cause: error });
  }
}
