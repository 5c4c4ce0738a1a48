import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A shell line with `waybill` in it, as an operator types it; gives the exit code of the program itself. */
async function shell(line: string): Promise<{ readonly code: number | null; readonly shown: string }> {
  const waybill = `${process.execPath} ${PROGRAM}`;
  const child = spawn('bash', ['--norc', '-o', 'pipefail', '-c', line.replace('waybill', waybill)], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [shown] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, shown };
}

describe('O04: streams that end early', () => {
  test('O04: a reader that leaves is no error, and no stack trace is seen', async () => {
    expect(await shell('waybill schema plan | head -n 1')).toEqual({ code: 0, shown: '' });
    expect(await shell('waybill schema plan >&-')).toEqual({ code: 0, shown: '' });
  });

  test('O04: a command keeps its exit code where nobody reads what it tells', async () => {
    expect(await shell('waybill bogus 2>&1 | true')).toMatchObject({ code: 2 });
    expect(await shell('waybill bogus 2>/dev/full')).toEqual({ code: 2, shown: '' });
  });

  test('O04: output that is lost for another reason is told in one line, and is a failure', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [PROGRAM, 'schema', 'plan'], { stdio: ['ignore', full, 'pipe'] });
    if (child.stderr === null) throw new Error('the child has no pipe');
    const [shown] = await Promise.all([text(child.stderr), once(child, 'close')]);
    closeSync(full);
    expect([child.exitCode, shown]).toEqual([
      1,
      expect.stringMatching(/^waybill: standard output cannot be written: ENOSPC.*\n$/),
    ]);
  });
});
