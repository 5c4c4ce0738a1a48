import type { Setting } from './setting.ts';
import { SETTING_ROWS } from './settings.ts';
import { nearest } from './suggestion.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A value with the name of the variable that gave it. */
export interface FromEnvironment {
  readonly name: string;
  readonly text: string;
}

/**
 * Looks a setting up in the environment. An empty variable counts as absent, since compose files and shells leave such
 * behind. The general name of a secret (`DATABASE_URL`) is asked last.
 */
export function lookUp(setting: Setting, environment: Environment): FromEnvironment | undefined {
  const fallback = setting.kind === 'secret' ? setting.fallbackEnv : undefined;
  const names = fallback === undefined ? [setting.env] : [setting.env, fallback];
  for (const name of names) {
    const text = environment[name];
    if (text !== undefined && text !== '') return { name, text };
  }
  return undefined;
}

/** Variables that nobody reads but that look like a misspelt setting: reported, not refused, for others may own them. */
export function misspelt(environment: Environment): readonly string[] {
  const known = SETTING_ROWS.flatMap(([, setting]) => namesOf(setting));
  return Object.keys(environment)
    .filter((name) => (name.startsWith('WAYBILL_') || name.startsWith('OUTBOX_')) && !known.includes(name))
    .flatMap((name) => {
      const meant = nearest(name, known);
      return meant === undefined ? [] : [`${name}: no setting has this name; did you mean ${meant}?`];
    });
}

function namesOf(setting: Setting): readonly string[] {
  return setting.kind === 'secret' ? [setting.env, fileVariable(setting.env)] : [setting.env];
}

/** The variable that names a file which holds the secret, as orchestrators mount them. */
export function fileVariable(env: string): string {
  return `${env}_FILE`;
}
