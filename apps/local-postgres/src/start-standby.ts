import { execFileSync } from 'node:child_process';
import { chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { executableBy, locateBinaries } from './binaries.ts';
import { makeDirectory, removeDirectory } from './directory.ts';
import { type Identity, serverIdentity } from './identity.ts';
import { type LocalPostgres, startCluster } from './start-postgres.ts';

/** What belongs to the primary's process, or comes over the wire anyway. */
const NOT_COPIED = ['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot'];

/** How soon it looks for its primary again: five seconds, the default, are long for a test. */
const SETTINGS = { wal_retrieve_retry_interval: '1s' };

/**
 * Starts a hot standby of a server that {@link startPostgres} has started, by streaming replication: it only reads until somebody promotes it
 * (`select pg_promote()`). Wants a primary that is at rest: files that vanish while they are copied are an error.
 */
export async function startStandby(primary: LocalPostgres): Promise<LocalPostgres> {
  const identity = serverIdentity();
  const directory = await makeDirectory(identity);
  try {
    const binaries = await executableBy(identity, locateBinaries(), directory);
    const data = join(directory, 'data');
    const { password } = new URL(primary.url);
    const label = await copyOf(primary, data, (command, args) => execFileSync(command, args, identity));
    await writeAs(identity, join(data, 'backup_label'), label);
    await writeAs(identity, join(data, 'standby.signal'), '');
    await writeAs(identity, join(data, 'postgresql.auto.conf'), connectionTo(primary));
    return await startCluster({ binaries, identity, directory, data, password, settings: SETTINGS });
  } catch (error) {
    await removeDirectory(directory);
    throw error;
  }
}

type Run = (command: string, args: readonly string[]) => unknown;

/** A base backup, taken by the low-level functions: the program that does it is not among the binaries of the npm package. Gives its label. */
async function copyOf(primary: LocalPostgres, data: string, asServer: Run): Promise<string> {
  const client = new Client({ connectionString: primary.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ source: string }>("select current_setting('data_directory') as source");
    await client.query("select pg_backup_start('standby', fast => true)");
    asServer('cp', ['-a', rows[0]?.source ?? '', data]);
    for (const name of NOT_COPIED) await rm(join(data, name), { recursive: true, force: true });
    for (const name of ['pg_wal', 'pg_wal/archive_status', 'pg_replslot'])
      asServer('mkdir', ['-m', '700', join(data, name)]);
    const stopped = await client.query<{ label: string }>(
      'select labelfile as label from pg_backup_stop(wait_for_archive => false)',
    );
    return stopped.rows[0]?.label ?? '';
  } finally {
    await client.end();
  }
}

/** In a file, since everybody on the machine can read the arguments of a server. */
function connectionTo({ url }: LocalPostgres): string {
  const { hostname, port, username, password } = new URL(url);
  return `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password} sslmode=disable'\n`;
}

async function writeAs({ uid, gid }: Identity, path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}
