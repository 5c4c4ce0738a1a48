import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config/problem.ts';
import { type Limit, parseLimit } from './limit.ts';

/**
 * Reads every limit of a folder, in the order of the files' names.
 * @throws ConfigError with every problem of every file, also for a folder without any
 */
export async function loadLimits(folder: string): Promise<readonly Limit[]> {
  const files = (await filesOf(folder)).filter((name) => name.endsWith('.json')).sort();
  if (files.length === 0)
    throw new ConfigError('DSP_CONFIG_INVALID', [`${folder}: expected limits as *.json, got none`]);
  const parsed = await Promise.all(
    files.map(async (name) => ({ name, ...parseLimit(jsonOf(await readFile(join(folder, name), 'utf8'))) })),
  );
  const limits = parsed.flatMap(({ limit }) => (limit === null ? [] : [limit]));
  const twice = limits.filter(({ id }, index) => limits.findIndex((other) => other.id === id) !== index);
  const problems = [
    ...parsed.flatMap(({ name, problems: found }) => found.map((problem) => `${join(folder, name)}: ${problem}`)),
    ...twice.map(({ id }) => `${folder}: two limits have the id ${id}`),
  ];
  if (problems.length > 0) throw new ConfigError('DSP_CONFIG_INVALID', problems);
  return limits;
}

async function filesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    throw new ConfigError('DSP_CONFIG_FILE', [`--limits: expected a folder with limits, got none at ${folder}`], {
      cause,
    });
  }
}

/** What is no JSON is no object either, and is reported as such. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
