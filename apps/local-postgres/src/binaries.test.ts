import { execFileSync } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Binaries, executableBy, locateBinaries } from './binaries.ts';
import { makeDirectory, removeDirectory } from './directory.ts';
import { serverIdentity } from './identity.ts';

test('a platform without binaries is named in the error, with a way out', () => {
  expect(() => locateBinaries('plan9', 'mips')).toThrow(
    expect.objectContaining({ code: 'PGL_NO_BINARIES', message: expect.stringContaining('plan9 mips') }),
  );
});

test('root runs the server as nobody, everybody else as themselves', () => {
  expect(serverIdentity(0)).toEqual({ uid: 65_534, gid: 65_534 });
  expect(serverIdentity(1000)).toEqual({});
});

test('D06: binaries in a private folder with a space in its name are copied to where the server may read them', async () => {
  const ours = await makeDirectory({});
  const identity = serverIdentity();
  const theirs = await makeDirectory(identity);
  try {
    const hidden = join(ours, 'a private', 'native');
    await mkdir(join(ours, 'a private'));
    const binaries = locateBinaries();
    await cp(binaries.folder, hidden, { recursive: true, verbatimSymlinks: true });
    const closed: Binaries = {
      folder: hidden,
      initdb: join(hidden, 'bin', 'initdb'),
      postgres: join(hidden, 'bin', 'postgres'),
    };
    const found = await executableBy(identity, closed, theirs);
    // Only root runs the server as somebody who cannot see a private folder of ours.
    expect(found.folder).toBe(identity.uid === undefined ? hidden : join(theirs, 'native'));
    expect(execFileSync(found.postgres, ['--version'], { ...identity, encoding: 'utf8' })).toContain('PostgreSQL) 18');
  } finally {
    await removeDirectory(ours);
    await removeDirectory(theirs);
  }
});
