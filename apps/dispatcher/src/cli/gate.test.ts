import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabase } from '@waybill/local-postgres/vitest';
import { drainDispatcher, openStore, registerContracts, registerDispatcher } from '@waybill/store';
import { connectPg } from '@waybill/store/pg';
import { afterAll, expect, test } from 'vitest';
import { MoveParcel } from '../../test/parcels.ts';
import { type Finished, waybill } from '../../test/waybill-process.ts';

const database = await testDatabase();
const pool = connectPg({ url: database.url, max: 2 });
const store = openStore(pool);
const folder = await mkdtemp(join(tmpdir(), 'waybill-gate-'));
afterAll(async () => {
  await pool.close();
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const { type, kind } = MoveParcel;
const ids = await registerContracts(
  store,
  [1, 2].map((version) => ({ type, version, kind })),
  'test',
);

async function manifest(build: string, reads: readonly number[]): Promise<string> {
  const file = join(folder, `${build}.json`);
  const document = {
    schema: 'waybill.manifest/v1',
    build,
    destinations: [],
    readers: { [type]: reads },
    writers: { [type]: reads.slice(-1) },
  };
  await writeFile(file, JSON.stringify(document));
  return file;
}

async function start(build: string, ...reads: number[]): Promise<string> {
  const id = randomUUID();
  await registerDispatcher(store, {
    // It shows itself no more than once, and every command of the test is a process of its own, which takes its time.
    heartbeatMs: 300_000,
    id,
    build,
    contractIds: reads.map((version) => ids.get(`${type}@${version}`) ?? 0),
  });
  return id;
}

const ask = (...args: readonly string[]): Promise<Finished> => waybill(args, { WAYBILL_DATABASE_URL: database.url });
const BY = ['--actor', 'anna', '--reason', 'ticket 17'];

test('W33 W34 V02 V03 O04: a pipeline goes through a rollout and back by exit codes', async () => {
  const newer = await manifest('newer', [1, 2]);
  const older = await manifest('older', [1]);
  expect((await ask('gate', 'writers', '--manifest', newer)).code, 'nobody has registered').toBe(3);

  const old = await start('older', 1);
  await start('newer', 1, 2);
  const behind = await ask('gate', 'writers', '--manifest', newer, '--json');
  expect(behind.code).toBe(1);
  expect(JSON.parse(behind.stdout)).toMatchObject({
    schema: 'waybill.cli/v1',
    gate: 'writers',
    verdict: 'unsafe',
    blockers: [{ type, version: 2, state: 'no-reader', count: 1, oldestAgeSeconds: 0, sampleIds: [old] }],
    checkedAt: expect.any(String) as string,
  });
  await drainDispatcher(store, old);
  expect((await ask('gate', 'writers', '--manifest', newer)).code, 'the older build has left').toBe(0);

  expect((await ask('gate', 'rollback', '--to', older)).code, 'version 2 may be written').toBe(3);
  expect(
    (await ask('readers', 'declare', '--manifest', older, '--until', '2999-01-01T00:00:00Z')).code,
    'nobody signs',
  ).toBe(2);
  expect((await ask('readers', 'declare', '--manifest', older, '--until', '2999-01-01T00:00:00Z', ...BY)).code).toBe(0);
  expect((await ask('gate', 'rollback', '--to', older)).code).toBe(0);
  expect((await ask('gate', 'writers', '--manifest', newer)).code, 'the declared target counts').toBe(1);
  const listed = await ask('readers', 'list', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject({
    readers: [{ id: '1', build: 'older', reads: { [type]: [1] }, until: '2999-01-01T00:00:00.000Z', actor: 'anna' }],
  });
  expect((await ask('readers', 'list')).stdout).toMatch(/1 +older +2999-.*parcels\.move@1/);

  expect((await ask('gate', 'retire', `${type}@1`)).code, 'writers fall back to it').toBe(1);
  const { revision } = JSON.parse((await ask('gate', 'retire', `${type}@1`, '--json')).stdout) as { revision: number };
  expect((await ask('retire', `${type}@1`, '--expect-revision', String(revision), ...BY)).code).toBe(4);
  expect((await ask('versions', 'pin', `${type}@1`, ...BY)).code).toBe(0);
  expect((await ask('versions', 'unpin', type, ...BY)).code).toBe(0);
  expect((await ask('readers', 'withdraw', '1')).code, 'nobody signs').toBe(2);
  expect((await ask('readers', 'withdraw', '1', ...BY)).code).toBe(0);
  expect((await ask('readers', 'withdraw', '1', ...BY)).code, 'it is over').toBe(3);
  expect((await ask('gate', 'writers', '--manifest', newer)).code, 'nobody is behind any more').toBe(0);
  expect((await ask('coverage')).stdout).toMatch(/parcels\.move@2 +0 +0 +1 +single-reader/);
});
