import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

// Where Debian puts servers; the search path of an ordinary user leaves it out.
const SERVER_DIRECTORIES = ['/usr/sbin', '/usr/local/sbin'];

// Debian's script of the same name in /usr/sbin changes the user and drops the environment.
const RABBITMQ_DIRECTORY = '/usr/lib/rabbitmq/bin';

/** The path of an installed program, or null. */
export function findProgram(name: string, searchPath: string): string | null {
  const directories = [RABBITMQ_DIRECTORY, ...searchPath.split(delimiter), ...SERVER_DIRECTORIES];
  return directories.map((directory) => join(directory, name)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not ours to run: both mean that it cannot be used
  }
}
