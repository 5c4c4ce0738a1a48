import { spawnSync } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Identity } from './identity.ts';

/** Makes a private folder that belongs to `identity`, under the system's temporary folder. */
export async function makeDirectory(identity: Identity): Promise<string> {
  const directory = await mkdtemp(join(reachableTemp(identity), 'waybill-postgres-'));
  if (identity.uid !== undefined && identity.gid !== undefined) await chown(directory, identity.uid, identity.gid);
  return directory;
}

/** Removes the folder and all in it; one that is gone already is fine. */
export async function removeDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
}

/** Root's TMPDIR may be closed to other users; /tmp never is. */
function reachableTemp(identity: Identity): string {
  const wanted = tmpdir();
  if (identity.uid === undefined) return wanted;
  return spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', wanted], identity).status === 0 ? wanted : '/tmp';
}
