import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabase } from '@waybill/local-postgres/vitest';
import { afterAll, expect, test } from 'vitest';
import { type CliRun, cli } from '../../test/cli.ts';
import { DeadLetters } from '../../test/dead-letters.ts';
import { WeighParcel } from '../../test/parcels.ts';

const database = await testDatabase();
const letters = await DeadLetters.open(database.url);
const folder = await mkdtemp(join(tmpdir(), 'waybill-shadow-read-'));
afterAll(async () => {
  await letters[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const shadowRead = (...args: readonly string[]): Promise<CliRun> =>
  cli(['gate', 'shadow-read', '--config', 'parcels.config.ts', '--json', ...args], {
    environment: { WAYBILL_DATABASE_URL: database.url },
  });

test('V09: a pipeline asks whether the configured build reads the backlog, and goes by the exit code', async () => {
  await letters.bury('dead');
  await letters.write('a', 'b', 'c');
  const all = await shadowRead('--all');
  expect(all.code).toBe(0);
  expect(all.document()).toMatchObject({ gate: 'shadow-read', subject: 'parcels@1.0.0', verdict: 'safe', read: 4 });
  expect((await shadowRead('--limit', '2')).code, 'one live record was left').toBe(3);
  expect((await shadowRead('--limit', '0')).code).toBe(2);
  expect((await shadowRead('--limit', '2', '--all')).code).toBe(2);

  const manifest = join(folder, 'manifest.json');
  const document = { schema: 'waybill.manifest/v1', build: 'other', destinations: [], readers: {}, writers: {} };
  await writeFile(manifest, JSON.stringify(document));
  const byVersion = await shadowRead('--manifest', manifest);
  expect(byVersion.code).toBe(1);
  expect(byVersion.document()).toMatchObject({
    subject: 'other',
    read: 0,
    blockers: [
      { type: WeighParcel.type, version: 1, state: 'dead-letter', count: 1 },
      { type: WeighParcel.type, version: 1, state: 'pending', count: 3 },
    ],
  });

  const [row] = await letters.rows(
    `select id::text as id from waybill.enqueue('[{"type": "${WeighParcel.type}", "version": 1, "recordKey": "Parcel/x", "payload": {"parcel": "x"}}]')`,
  );
  const broken = await shadowRead();
  expect(broken.code).toBe(1);
  expect(broken.document()).toMatchObject({
    blockers: [{ state: 'pending', count: 1, sampleIds: [(row as { id: string }).id] }],
  });
});
