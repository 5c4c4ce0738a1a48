import { type Environment, lookUp, misspelt } from './environment.ts';
import { isRecord, treeOf, valueAt } from './path.ts';
import { mismatch, shown } from './problem.ts';
import { RULES } from './rules.ts';
import { accepts, expectation, fromText, type Setting } from './setting.ts';
import { SETTING_ROWS, type SettingPath, type Settings } from './settings.ts';
import { unknownKeys } from './unknown-keys.ts';

export type Source = 'environment' | 'file' | 'default';

export interface Resolution {
  /** Meaningful only when `problems` is empty: the place of an invalid value is taken by its default. */
  readonly settings: Settings;
  readonly sources: ReadonlyMap<SettingPath, Source>;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

interface Candidate {
  readonly source: Source;
  readonly value: unknown;
  /** The variable that gave the value, for a person who has to find it. */
  readonly variable?: string;
}

/**
 * Resolves every setting, environment over file over default, and collects all problems rather than the first.
 * @param file what the configuration file exports, or undefined without a file
 * @param required the settings without a default that the command cannot do without
 */
export function resolveSettings(file: unknown, environment: Environment, required: readonly SettingPath[]): Resolution {
  const values = new Map<string, unknown>();
  const sources = new Map<SettingPath, Source>();
  const invalid = new Set<SettingPath>();
  const problems = [...unknownKeys(file)];
  for (const [path, setting] of SETTING_ROWS) {
    const candidate = candidateFor(path, setting, file, environment);
    const problem = problemOf(path, setting, candidate, required);
    if (problem !== undefined) {
      problems.push(problem);
      invalid.add(path);
    }
    values.set(path, problem === undefined ? candidate.value : setting.default);
    sources.set(path, candidate.source);
  }
  // The table's type proves that it has a row for each leaf of Settings, so the tree built from it is one.
  const settings = treeOf(values) as unknown as Settings;
  for (const rule of RULES) {
    const expected = rule.paths.some((path) => invalid.has(path)) ? undefined : rule.violated(settings);
    if (expected !== undefined)
      problems.push(mismatch(rule.paths[0], expected, shown(valueAt(settings, rule.paths[0]))));
  }
  return { settings, sources, problems, warnings: misspelt(environment) };
}

function candidateFor(path: string, setting: Setting, file: unknown, environment: Environment): Candidate {
  const given = lookUp(setting, environment);
  if (given !== undefined) return { source: 'environment', value: fromText(setting, given.text), variable: given.name };
  const written = isRecord(file) ? valueAt(file, path) : undefined;
  if (written !== undefined) return { source: 'file', value: written };
  return { source: 'default', value: setting.default };
}

function problemOf(
  path: SettingPath,
  setting: Setting,
  candidate: Candidate,
  required: readonly SettingPath[],
): string | undefined {
  if (candidate.source === 'default') {
    const missing = candidate.value === '' && required.includes(path);
    return missing
      ? `${mismatch(path, expectation(setting), 'nothing')}; set ${setting.env} or write it into the file`
      : undefined;
  }
  if (accepts(setting, candidate.value)) return undefined;
  const got = setting.kind === 'secret' ? 'something else (not shown, it may hold a secret)' : shown(candidate.value);
  const origin = candidate.variable === undefined ? '' : ` (from ${candidate.variable})`;
  return `${mismatch(path, expectation(setting), got)}${origin}`;
}
