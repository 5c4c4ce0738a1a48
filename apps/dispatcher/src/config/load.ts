import { readFileSync } from 'node:fs';
import { isRoute } from '../routes/is-route.ts';
import type { DispatcherDefinition } from './define-dispatcher.ts';
import type { Environment } from './environment.ts';
import { CONFIG_FILES, findConfigFile, importConfigFile } from './file.ts';
import { isRecord } from './path.ts';
import { ConfigError, mismatch, shown } from './problem.ts';
import { type Resolution, resolveSettings } from './resolve.ts';
import { readSecretFiles } from './secret-file.ts';
import type { SettingPath } from './settings.ts';
import { CODE_KEYS } from './unknown-keys.ts';

/** Where a program looks for its configuration. */
export interface ConfigPlace {
  readonly directory: string;
  readonly environment: Environment;
  /** What `--config` named. */
  readonly file?: string | undefined;
}

export type LoadedSettings = Omit<Resolution, 'problems'> & { readonly file: string | undefined };

export interface LoadedDispatcher extends LoadedSettings {
  readonly contracts: DispatcherDefinition['contracts'];
  readonly routes: DispatcherDefinition['routes'];
  readonly destinations: NonNullable<DispatcherDefinition['destinations']>;
}

/**
 * Loads the settings for a command that needs no contracts; without a file the environment alone may do.
 * @throws ConfigError with every problem that was found
 */
export async function loadSettings(place: ConfigPlace, required: readonly SettingPath[]): Promise<LoadedSettings> {
  const file = findConfigFile(place.directory, place.file);
  const exported = file === undefined ? undefined : await importConfigFile(file);
  const { problems, ...loaded } = resolved(place, exported, required);
  refuse([...(file === undefined ? [] : shapeProblems(exported)), ...problems]);
  return { ...loaded, file };
}

/**
 * Loads a whole dispatcher: settings, contracts and routes.
 * @throws ConfigError with every problem that was found
 */
export async function loadDispatcher(place: ConfigPlace, required: readonly SettingPath[]): Promise<LoadedDispatcher> {
  const file = findConfigFile(place.directory, place.file);
  if (file === undefined) {
    throw new ConfigError('DSP_CONFIG_FILE', [
      `expected one of ${CONFIG_FILES.join(', ')} in ${place.directory}, got none; name another file with --config`,
    ]);
  }
  const exported = await importConfigFile(file);
  const { problems, ...loaded } = resolved(place, exported, required);
  refuse([...shapeProblems(exported), ...codeProblems(exported), ...problems]);
  // Their shapes were checked; what is in them, createReaders and the checks of routes and limits establish.
  const { contracts, routes, destinations = {} } = exported as DispatcherDefinition;
  return { ...loaded, file, contracts, routes, destinations };
}

function resolved(place: ConfigPlace, exported: unknown, required: readonly SettingPath[]): Resolution {
  const secrets = readSecretFiles(place.environment, (path) => readFileSync(path, 'utf8'));
  const resolution = resolveSettings(exported, secrets.environment, required);
  return { ...resolution, problems: [...secrets.problems, ...resolution.problems] };
}

function shapeProblems(exported: unknown): readonly string[] {
  return isRecord(exported) ? [] : [mismatch('default export', 'an object made by defineDispatcher', shown(exported))];
}

function codeProblems(exported: unknown): readonly string[] {
  if (!isRecord(exported)) return [];
  return CODE_KEYS.flatMap((key) => {
    const value = exported[key];
    const { shape, fits } = CODE_SHAPES[key];
    return fits(value) ? [] : [mismatch(key, shape, shown(value))];
  }).concat(routeShapeProblems(exported['routes']));
}

/** What is in the list of routes, once it is a list: one problem for each that nothing here has made. */
function routeShapeProblems(routes: unknown): readonly string[] {
  if (!isListOfObjects(routes)) return [];
  return (routes as readonly unknown[]).flatMap((route, index) =>
    isRoute(route)
      ? []
      : [mismatch(`routes[${String(index)}]`, 'a route made by publish, handle or call', shown(route))],
  );
}

const isListOfObjects = (value: unknown): boolean => Array.isArray(value) && value.every(isRecord);

const CODE_SHAPES: Readonly<
  Record<(typeof CODE_KEYS)[number], { readonly shape: string; readonly fits: (value: unknown) => boolean }>
> = {
  contracts: { shape: 'a list of contract packages (defineContracts)', fits: isListOfObjects },
  routes: { shape: 'a list of routes (publish, handle, call)', fits: isListOfObjects },
  destinations: {
    shape: 'an object of limits by destination',
    fits: (value) => value === undefined || (isRecord(value) && Object.values(value).every(isRecord)),
  },
};

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new ConfigError('DSP_CONFIG_INVALID', problems);
}
