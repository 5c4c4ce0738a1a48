import { execFileSync } from 'node:child_process';
import { chown, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { LocalPostgresError } from './error.ts';
import type { Identity } from './identity.ts';
import { spawnSupervised } from './supervised-process.ts';

/** An idle machine needs a second, a loaded one ten or more; after this it hangs. */
const INITDB_TIMEOUT_MS = 180_000;

/** The major version that knows character classes of Unicode without a locale of the system. */
const BUILTIN_LOCALE_SINCE = 17;

/** Makes the data directory `<directory>/data`, with one superuser `postgres`. Throws `PGL_INITDB_FAILED`. */
export async function initdb(
  binaries: Binaries,
  identity: Identity,
  directory: string,
  password: string,
): Promise<string> {
  const data = join(directory, 'data');
  const passwordFile = join(directory, 'password');
  const log = join(directory, 'initdb.log');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (identity.uid !== undefined && identity.gid !== undefined) await chown(passwordFile, identity.uid, identity.gid);
  const program = await spawnSupervised(
    [binaries.initdb, ...initdbArguments(data, passwordFile, majorVersion(binaries, identity))],
    {
      identity,
      directory,
      log,
    },
  );
  await program.untilEnded(INITDB_TIMEOUT_MS);
  await program.stop();
  await rm(passwordFile);
  if (program.ending() !== 0) {
    const output = await readFile(log, 'utf8');
    throw new LocalPostgresError('PGL_INITDB_FAILED', `initdb failed (${program.ending()}):\n${output}`);
  }
  return data;
}

/** The first number of what `postgres --version` says, as in `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`. */
function majorVersion({ postgres }: Binaries, identity: Identity): number {
  return Number(
    /\(PostgreSQL\) (\d+)/.exec(execFileSync(postgres, ['--version'], { ...identity, encoding: 'utf8' }))?.[1],
  );
}

function initdbArguments(data: string, passwordFile: string, major: number): readonly string[] {
  return [
    ...['-D', data, '--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
    // Neither the built-in locale nor C needs anything of the system, so that LANG may be anything or unset.
    ...['--encoding=UTF8', '--no-locale'],
    ...(major >= BUILTIN_LOCALE_SINCE ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : []),
    // The cluster does not outlive a crash of the machine anyway.
    ...['--no-sync', '--no-instructions'],
  ];
}
