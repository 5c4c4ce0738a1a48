import { type Environment, fileVariable } from './environment.ts';
import { SETTING_ROWS } from './settings.ts';

export interface WithSecrets {
  readonly environment: Environment;
  readonly problems: readonly string[];
}

/**
 * Reads the files that `<ENV>_FILE` variables name and returns the environment as if their content had been given
 * directly. A secret given both ways is a problem: guessing which one is meant would be worse.
 */
export function readSecretFiles(environment: Environment, readFile: (path: string) => string): WithSecrets {
  const found: Record<string, string> = {};
  const problems: string[] = [];
  for (const [, setting] of SETTING_ROWS) {
    if (setting.kind !== 'secret') continue;
    const variable = fileVariable(setting.env);
    const path = environment[variable];
    if (path === undefined || path === '') continue;
    if (environment[setting.env])
      problems.push(`${variable}: expected one of ${setting.env} and ${variable}, got both`);
    else {
      try {
        // Editors and `echo` end a file with a line break, which is no part of the secret.
        found[setting.env] = readFile(path).trim();
      } catch (error) {
        problems.push(`${variable}: expected a readable file, got ${reasonOf(error)} for ${JSON.stringify(path)}`);
      }
    }
  }
  return { environment: { ...environment, ...found }, problems };
}

/** The system's code alone: its message could only repeat the path. */
function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'an error';
}
