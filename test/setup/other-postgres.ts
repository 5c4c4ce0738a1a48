import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { provideServer } from './postgres.ts';

/** Serves a project named `postgres-15` with a server of PostgreSQL 15. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  return provideServer(project, { installation: findInstallation(project.name.replace('postgres-', '')) });
}

/** As Debian installs it, else as `npm ci` in `test/servers` does. Throws when there is none: asked for, a version is not skipped. */
function findInstallation(major: string): string {
  const folders = [
    `/usr/lib/postgresql/${major}`,
    join(import.meta.dirname, '..', 'servers', 'node_modules', `postgresql-${major}`, 'native'),
  ];
  const found = folders.find((folder) => existsSync(join(folder, 'bin', 'initdb')));
  if (found !== undefined) return found;
  throw new Error(
    `PostgreSQL ${major} is in none of ${folders.join(', ')}; test/servers/install.sh says how to get it`,
  );
}
