import { createReaders, defineContracts, type Readers } from '@waybill/contracts';
import { afterAll, afterEach, expect, test } from 'vitest';

import { ANNA, idOf, killHeads } from '../../test/dead.ts';
import { NoteTaken, testReaders } from '../../test/messages.ts';
import { openRoom } from '../../test/room.ts';
import { discard } from './discard.ts';
import { gateShadowRead, gateShadowReadVersions } from './shadow-read.ts';

const room = await openRoom();
const store = room.store(room.observer);
const TYPE = 'test.parcel-moved';
const BROKEN = `select id::text as id from waybill.enqueue('[{"type": "${TYPE}", "version": 2, "recordKey": "Parcel/x", "payload": {"id": "x", "step": "secret"}}]')`;
const candidate = (readers: Pick<Readers, 'read'>, limit: number | 'all' = 'all') =>
  gateShadowRead(store, { build: 'candidate', readers, limit });

afterEach(() => room.clear());
afterAll(() => room[Symbol.asyncDispose]());

test('V09: a build that reads all of the backlog is safe, one that lacks the type is not, and nothing is touched', async () => {
  const worker = await room.worker();
  await room.enqueue(room.observer, 'dead', 1);
  const [dead] = await killHeads(worker);
  await room.enqueue(room.observer, 'leased', 1);
  await worker.claim();
  await room.enqueue(room.observer, 'a', 1, 2);
  const TABLES = `select (select jsonb_agg(d order by d.position) from waybill.delivery d) as live, (select jsonb_agg(l) from waybill.dead_letter l) as dead`;
  const before = await room.query(TABLES);

  expect(await candidate(testReaders)).toMatchObject({ verdict: 'safe', blockers: [], read: 4, complete: true });
  const other = createReaders([defineContracts({ name: 'other', messages: [NoteTaken], events: [] })]);
  const report = await candidate(other);
  expect(report).toMatchObject({ gate: 'shadow-read', subject: 'candidate', verdict: 'unsafe' });
  expect(
    report.blockers
      .map(({ type, version, state, count }) => `${String(count)} ${state} ${type}@${String(version)}`)
      .sort(),
  ).toEqual([`1 dead-letter ${TYPE}@2`, `1 processing ${TYPE}@2`, `2 pending ${TYPE}@2`]);
  expect(report.blockers.find(({ state }) => state === 'dead-letter')?.sampleIds).toEqual([dead]);
  expect(report.blockers[0]?.detail).toContain('unknown-type');
  expect(await room.query(TABLES)).toEqual(before);
});

test('V09: a payload that its own version does not allow is found among others, with why and without its values', async () => {
  await room.enqueue(room.observer, 'a', 1, 2);
  const [row] = await room.query(BROKEN);
  const { verdict, blockers } = await candidate(testReaders);
  expect(verdict).toBe('unsafe');
  expect(blockers).toMatchObject([{ type: TYPE, version: 2, state: 'pending', count: 1, sampleIds: [row?.['id']] }]);
  expect(blockers[0]?.detail).toContain('invalid');
  expect(blockers[0]?.detail).not.toContain('secret');
});

test('V09: pages go on to the middle from either end, and a limit reads both ends and says that it left something', async () => {
  const steps = Array.from({ length: 450 }, (_, step) => step);
  await room.enqueue(room.observer, 'a', ...steps);
  const seen: string[] = [];
  const watching: Pick<Readers, 'read'> = {
    read: (stored, as) => {
      seen.push(stored.payload);
      return testReaders.read(stored, as);
    },
  };
  expect(await candidate(watching)).toMatchObject({ verdict: 'safe', read: 450, complete: true });
  expect(new Set(seen).size).toBe(450);
  expect(await candidate(watching, 450)).toMatchObject({ verdict: 'safe', read: 450, complete: true });
  seen.length = 0;
  expect(await candidate(watching, 4)).toMatchObject({ verdict: 'unknown', blockers: [], read: 4, complete: false });
  expect(seen.map((payload) => (JSON.parse(payload) as { readonly step: number }).step)).toEqual([449, 448, 0, 1]);
  await expect(candidate(watching, 0)).rejects.toMatchObject({ code: 'STO_INVALID_OPTION' });
});

test('V09: a dead letter that was given up for good, and what was delivered, need no reader', async () => {
  const worker = await room.worker();
  await room.enqueue(room.observer, 'a', 1);
  await killHeads(worker);
  expect((await candidate(testReaders)).read).toBe(1);
  await discard(store, await idOf(room, 'a', 1), ANNA);
  expect(await candidate(testReaders)).toMatchObject({ verdict: 'safe', read: 0, complete: true });
});

test('V09: a manifest is judged by version, and cannot vouch for payloads', async () => {
  const build = { build: 'candidate', readers: { [TYPE]: [1, 2] } };
  expect((await gateShadowReadVersions(store, build)).verdict, 'nothing waits').toBe('safe');
  await room.enqueue(room.observer, 'a', 1);
  expect(await gateShadowReadVersions(store, build)).toMatchObject({ verdict: 'unknown', blockers: [], read: 0 });
  expect(await gateShadowReadVersions(store, { ...build, readers: { [TYPE]: [1] } })).toMatchObject({
    verdict: 'unsafe',
    blockers: [{ type: TYPE, version: 2, state: 'pending', count: 1 }],
  });
});
