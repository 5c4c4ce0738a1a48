import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { executableBy, locateBinaries } from './binaries.ts';
import { makeDirectory, removeDirectory } from './directory.ts';
import { serverIdentity } from './identity.ts';
import { initdb } from './initdb.ts';

test('F089: a left-over data directory is refused with what initdb says, and left alone', async () => {
  const identity = serverIdentity();
  const directory = await makeDirectory(identity);
  try {
    const binaries = await executableBy(identity, locateBinaries(), directory);
    await mkdir(join(directory, 'data'), { mode: 0o755 });
    await writeFile(join(directory, 'data', 'precious'), '');
    await expect(initdb(binaries, identity, directory, 'secret')).rejects.toMatchObject({
      code: 'PGL_INITDB_FAILED',
      message: expect.stringContaining('not empty'),
    });
  } finally {
    await removeDirectory(directory);
  }
});
