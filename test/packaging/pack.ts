import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../tidy/files.ts';
import { rootManifest } from '../tidy/workspace.ts';

const run = promisify(execFile);

/** Tarballs of packages of the workspace, packed as they are published, in a folder that goes when it is disposed of. */
export interface Packed extends AsyncDisposable {
  readonly directory: string;
  tarball(name: string): string;
  bytes(name: string): Promise<Uint8Array<ArrayBuffer>>;
}

/** Packs packages of the workspace from `dist`, which has to be built. */
export async function pack(names: readonly string[]): Promise<Packed> {
  const directory = await mkdtemp(join(tmpdir(), 'waybill-packed-'));
  const filters = names.flatMap((name) => ['--filter', name]);
  await run(
    'npx',
    ['-y', rootManifest.packageManager ?? 'pnpm', '--recursive', ...filters, 'pack', '--pack-destination', directory],
    { cwd: root },
  );
  const tarball = (name: string): string => join(directory, `${name.replace('@', '').replace('/', '-')}-0.0.0.tgz`);
  return {
    directory,
    tarball,
    bytes: async (name) => new Uint8Array(await readFile(tarball(name))),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}
