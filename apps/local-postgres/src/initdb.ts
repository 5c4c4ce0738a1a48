import { execFile } from 'node:child_process';
import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { LocalPostgresError } from './error.ts';
import type { Identity } from './identity.ts';
import { serverEnvironment } from './server-process.ts';

/** A loaded machine needs some ten seconds; a minute means that it hangs. */
const INITDB_TIMEOUT_MS = 60_000;

/** Makes the data directory `<directory>/data`, with one superuser `postgres`. Throws `PGL_INITDB_FAILED`. */
export async function initdb(
  binaries: Binaries,
  identity: Identity,
  directory: string,
  password: string,
): Promise<string> {
  const data = join(directory, 'data');
  const passwordFile = join(directory, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (identity.uid !== undefined && identity.gid !== undefined) await chown(passwordFile, identity.uid, identity.gid);
  await run(binaries.initdb, initdbArguments(data, passwordFile), identity, directory);
  await rm(passwordFile);
  return data;
}

function initdbArguments(data: string, passwordFile: string): readonly string[] {
  return [
    ...['-D', data, '--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
    // The built-in locale needs none of the system, so that LANG may be anything or unset.
    ...['--encoding=UTF8', '--no-locale', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    // The cluster does not outlive a crash of the machine anyway.
    ...['--no-sync', '--no-instructions'],
  ];
}

function run(file: string, args: readonly string[], identity: Identity, cwd: string): Promise<void> {
  const options = { ...identity, cwd, env: serverEnvironment(cwd), timeout: INITDB_TIMEOUT_MS };
  return new Promise((resolve, reject) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      if (error === null) resolve();
      else reject(new LocalPostgresError('PGL_INITDB_FAILED', `initdb failed:\n${stdout}${stderr}`, error));
    });
  });
}
