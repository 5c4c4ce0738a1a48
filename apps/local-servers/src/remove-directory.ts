import { rm } from 'node:fs/promises';

/** Removes what a server has left behind. One that was killed may be writing its last words meanwhile. */
export function removeDirectory(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
