import { constants } from 'node:fs';
import { access, type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A file of lines that only grows. */
export interface LinesFile {
  /** Resolves when the lines are on the disk, not only in the system's cache. */
  append(lines: string): Promise<void>;
  close(): Promise<void>;
}

const NEWLINE = 0x0a;

/** Opens or makes the file. A last line without an end, left by a crash in the middle of a write, is ended first so that it spoils no other. */
export async function openLinesFile(path: string): Promise<LinesFile> {
  const handle = await open(path, 'a+', 0o600);
  try {
    if (await endsTorn(handle)) await handle.appendFile('\n');
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    async append(lines) {
      await handle.appendFile(lines);
      await handle.datasync();
    },
    close: () => handle.close(),
  };
}

async function endsTorn(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  await handle.read(last, 0, 1, size - 1);
  return last[0] !== NEWLINE;
}

/** What keeps the file from being written, or null. Makes nothing. */
export async function probeLinesFile(path: string): Promise<unknown> {
  try {
    const there = await stat(path).then(
      (found) => found.isFile(),
      () => null,
    );
    if (there === false) return Object.assign(new Error('not a file'), { code: 'EISDIR' });
    await access(there ? path : dirname(path), constants.W_OK);
    return null;
  } catch (error) {
    return error;
  }
}
