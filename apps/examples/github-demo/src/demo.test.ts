import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import type { DemoResult } from './report/result.ts';

/** The demo as a user runs it: built, and in a process of its own. */
const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** For a hang: a machine that runs other tests beside it may take minutes. */
const PATIENCE_MS = 600_000;

/** Runs the demo on the server of the tests with a temporary folder of its own, and gives what it leaves behind in either. */
async function leftBehind(run: (environment: NodeJS.ProcessEnv) => Promise<void>): Promise<readonly string[]> {
  const server = inject('testServer').url;
  const folder = await mkdtemp(join(tmpdir(), 'waybill-demo-test-'));
  const before = await databases(server);
  await run({ ...process.env, TMPDIR: folder, DATABASE_URL: server, WAYBILL_DEMO_SCALE: '0.15' });
  const left = await readdir(folder);
  await rm(folder, { recursive: true });
  const after = await databases(server);
  return [...left, ...after.filter((name) => !before.includes(name))];
}

/** Databases with a name by chance, as the demo takes one. Those of other tests say whose they are. */
async function databases(url: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ datname: string }>(
    "select datname from pg_database where datname ~ '^waybill_[0-9a-f]{16}$'",
  );
  await client.end();
  return rows.map(({ datname }) => datname);
}

test(
  'D06, D04, I01, I03, I05: the built demo tells its story on a given server, loses nothing and leaves nothing behind',
  async () => {
    let stdout = '';
    const left = await leftBehind(async (env) => {
      ({ stdout } = await promisify(execFile)(process.execPath, [PROGRAM], { env, timeout: PATIENCE_MS }));
    });

    const lastLine = stdout.trimEnd().split('\n').at(-1) ?? '';
    const result = JSON.parse(lastLine) as DemoResult;
    expect(result).toEqual({
      enqueued: result.delivered,
      delivered: result.enqueued,
      rolledBack: expect.any(Number) as number,
      duplicates: expect.any(Number) as number,
      lost: 0,
      outOfOrder: 0,
      unreadableClaims: 0,
      waitedForReader: expect.any(Number) as number,
      deadLetters: 0,
      ms: expect.any(Number) as number,
    });
    expect(result.enqueued).toBeGreaterThan(400);
    expect(result.rolledBack).toBeGreaterThan(0);
    expect(result.waitedForReader).toBeGreaterThan(0);
    // Outside a terminal the output is plain text.
    expect(stdout).not.toContain('\u001b');
    expect(left).toEqual([]);
  },
  PATIENCE_MS,
);

// Dispatchers are alive and records under way in each of them; in the third, services write while the fleet changes.
test.each(['2.', '3.', '5.'])(
  'D06: Ctrl-C in chapter %s of the story ends it with 130 and leaves nothing behind',
  async (chapter) => {
    const lines: string[] = [];
    const left = await leftBehind(async (env) => {
      const demo = spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'pipe', 'ignore'] });
      const ended = once(demo, 'exit');
      for await (const line of createInterface(demo.stdout)) {
        lines.push(line);
        if (line.startsWith(chapter)) demo.kill('SIGINT');
      }
      expect(await ended).toEqual([130, null]);
    });

    expect(lines.filter((line) => line.startsWith('{'))).toEqual([]);
    expect(left).toEqual([]);
  },
  PATIENCE_MS,
);
