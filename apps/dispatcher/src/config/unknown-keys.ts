import { isRecord } from './path.ts';
import { mismatch, shown } from './problem.ts';
import { SETTING_ROWS } from './settings.ts';
import { nearest } from './suggestion.ts';

/** Members of a configuration file that are code and not settings. */
export const CODE_KEYS = ['contracts', 'routes', 'destinations'] as const;

const PATHS: readonly string[] = SETTING_ROWS.map(([path]) => path);

/** One problem for each member that nothing reads, and for each section that is not an object. */
export function unknownKeys(file: unknown): readonly string[] {
  return isRecord(file) ? problemsBelow(file, '') : [];
}

function problemsBelow(section: Readonly<Record<string, unknown>>, prefix: string): readonly string[] {
  const known = knownBelow(prefix);
  return Object.entries(section).flatMap(([key, value]) => {
    const path = prefix + key;
    if (!known.includes(key)) return [unknown(path, nearest(key, known))];
    if (value === undefined || !isSection(path)) return [];
    return isRecord(value) ? problemsBelow(value, `${path}.`) : [mismatch(path, 'an object', shown(value))];
  });
}

function unknown(path: string, key: string | undefined): string {
  const parent = path.slice(0, path.lastIndexOf('.') + 1);
  return `${path}: no setting has this name${key === undefined ? '' : `; did you mean ${parent}${key}?`}`;
}

function knownBelow(prefix: string): readonly string[] {
  const keys = PATHS.filter((path) => path.startsWith(prefix)).map(
    (path) => path.slice(prefix.length).split('.')[0] ?? '',
  );
  return [...new Set(prefix === '' ? [...keys, ...CODE_KEYS] : keys)];
}

function isSection(path: string): boolean {
  return PATHS.some((other) => other.startsWith(`${path}.`));
}
