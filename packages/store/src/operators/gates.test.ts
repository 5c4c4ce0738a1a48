import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';

import { ANNA, kill } from '../../test/dead.ts';
import { ParcelMoved, ReleasedParcelMoved } from '../../test/messages.ts';
import { LATER, NEW, OLD, TYPE, VERSIONS } from '../../test/releases.ts';
import { openRoom } from '../../test/room.ts';
import { type Session, untilBlocked } from '../../test/session.ts';
import { registerContracts } from '../contracts.ts';
import { enqueue, outbox } from '../drivers/pg.ts';
import { registerDispatcher } from '../statements/dispatcher-registry.ts';
import { startWriter } from '../writer/start-writer.ts';
import { coverage } from './coverage.ts';
import { declareReader } from './declare-reader.ts';
import { discard } from './discard.ts';
import { gateRetire, gateRollback, gateWriters } from './gates.ts';
import { retireVersion } from './retire.ts';
import { allowWrites } from './version-pin.ts';

const room = await openRoom();
const store = room.store(room.observer);

let writer: Session;
async function run(build: string, ...versions: number[]): Promise<void> {
  const ids = await registerContracts(store, VERSIONS, build);
  const contractIds = versions.map((version) => ids.get(`${TYPE}@${version}`) ?? 0);
  await registerDispatcher(store, { id: randomUUID(), build, contractIds });
}
const declareOld = () => declareReader(store, { build: OLD.build, reads: OLD.readers, until: LATER }, ANNA);

beforeEach(async () => {
  writer = await room.session();
});
afterEach(async () => {
  await room.clear();
  await room.query(
    'truncate waybill.reader, waybill.version_pin, waybill.write_override, waybill.writer; update waybill.contract set retired_at = null, revision = 1',
  );
});
afterAll(() => room[Symbol.asyncDispose]());

describe('gate writers', () => {
  test('W33: cannot tell before the first dispatcher, refuses while a build is behind, and lets writers go after it', async () => {
    expect((await gateWriters(store, NEW)).verdict).toBe('unknown');
    await run('new', 1, 2);
    expect(await gateWriters(store, NEW)).toMatchObject({ verdict: 'safe', blockers: [] });
    await run('old', 1);
    expect(await gateWriters(store, NEW)).toMatchObject({
      verdict: 'unsafe',
      blockers: [{ type: TYPE, version: 2, state: 'no-reader', count: 1 }],
    });
    expect((await gateWriters(store, OLD)).verdict).toBe('safe');
  });

  test('W33: cannot tell by a manifest that names nothing that is written, as one of a dispatcher that only delivers', async () => {
    await run('old', 1);
    expect(await gateWriters(store, { ...NEW, writers: {} })).toMatchObject({ verdict: 'unknown', blockers: [] });
    expect(await gateWriters(store, { ...NEW, writers: { [TYPE]: [] } })).toMatchObject({ verdict: 'unknown' });
  });
});

test('W32 W33: a build that comes between the gate and the write holds the write back, and one that reads it does not', async () => {
  await run('new', 1, 2);
  await writer.begin();
  expect((await gateWriters(store, NEW)).verdict).toBe('safe');
  await run('newer', 2);
  expect(await outbox().enqueue(writer.native, ParcelMoved, { id: 'a', step: 1 })).toMatchObject({ version: 2 });
  await run('old', 1);
  await expect(outbox().enqueue(writer.native, ParcelMoved, { id: 'b', step: 1 })).rejects.toMatchObject({
    why: 'unreadable',
    blockers: [{ source: 'dispatcher', build: 'old' }],
  });
  await writer.commit();
});

test('V02: coverage counts what waits by version, and warns where one instance or none reads it', async () => {
  await run('old', 1);
  await run('new', 1, 2);
  await run('new', 1, 2);
  await room.query(
    `update waybill.dispatcher set seen_at = clock_timestamp() - interval '1 minute' where id = (select id from waybill.dispatcher where build = 'new' limit 1)`,
  );
  await declareOld();
  await writer.begin();
  await enqueue(writer.native, ReleasedParcelMoved, { id: 'a' });
  await writer.commit();
  const rows = (await coverage(store)).filter(({ type }) => type === TYPE);
  expect(rows).toEqual([
    { type: TYPE, version: 1, builds: { old: 1, new: 1 }, pending: 1, deadLetters: 0, capped: false, warning: null },
    { type: TYPE, version: 2, builds: { new: 1 }, pending: 0, deadLetters: 0, capped: false, warning: 'single-reader' },
  ]);
});

describe('gate rollback', () => {
  test('V04 W34: waiting, delayed, leased and dead records of the newer version are in the way, one by one', async () => {
    await run('new', 1, 2);
    await room.enqueue(writer, 'dead', 1);
    const worker = await room.worker();
    const [dead] = (await worker.claim()).runs;
    await kill(worker, dead!);
    await room.enqueue(writer, 'leased', 1);
    await worker.claim();
    await room.enqueue(writer, 'a', 1, 2);
    await writer.begin();
    await enqueue(writer.native, ParcelMoved, { id: 'later', step: 1 }, { dueAt: LATER });
    await writer.commit();
    await declareOld();
    const report = await gateRollback(store, OLD);
    expect(report.verdict).toBe('unsafe');
    expect(report.blockers.map(({ state, count }) => ({ state, count }))).toEqual([
      { state: 'dead-letter', count: 1 },
      { state: 'pending', count: 3 },
      { state: 'processing', count: 1 },
    ]);
    expect(report.blockers[0]?.sampleIds).toEqual([dead!.records[0]!.id]);
    expect((await gateRollback(store, NEW)).verdict).toBe('safe');
    await discard(store, dead!.records[0]!.id, ANNA);
    expect((await gateRollback(store, OLD)).blockers.map(({ state }) => state)).toEqual(['pending', 'processing']);
  });

  test('V04 W34: with nothing in the way it is not safe before writers are held back', async () => {
    await run('new', 1, 2);
    expect(await gateRollback(store, OLD)).toMatchObject({
      verdict: 'unknown',
      blockers: [{ state: 'writable', version: 2 }],
    });
    await declareOld();
    expect(await gateRollback(store, OLD)).toMatchObject({ verdict: 'safe', blockers: [] });
  });

  test('V04: a version that an operator has allowed anyway may be written at any moment', async () => {
    await run('new', 1, 2);
    await declareOld();
    await allowWrites(store, { type: TYPE, version: 2, until: LATER }, ANNA);
    const { verdict, blockers } = await gateRollback(store, OLD);
    expect({ verdict, states: blockers.map(({ state }) => state) }).toEqual({
      verdict: 'unknown',
      states: ['writable'],
    });
    expect(blockers[0]?.detail).toContain('an operator has allowed it');
    await room.query('truncate waybill.write_override');
    expect((await gateRollback(store, OLD)).verdict).toBe('safe');
  });

  test.each(['repeatable read', 'serializable'])(
    'V04: a transaction in %s that began before the declaration, and writes after the gate, has to be tried again',
    async (isolation) => {
      await run('new', 1, 2);
      await writer.query(`begin isolation level ${isolation}`);
      await writer.query('select 1');
      await declareOld();
      expect((await gateRollback(store, OLD)).verdict).toBe('safe');
      await expect(enqueue(writer.native, ParcelMoved, { id: 'a', step: 1 })).rejects.toMatchObject({ code: '40001' });
      await writer.rollback();
    },
  );

  test('V04: a transaction that wrote before the declaration and is still open is seen', async () => {
    await run('new', 1, 2);
    await writer.begin();
    await enqueue(writer.native, ParcelMoved, { id: 'a', step: 1 });
    await declareOld();
    expect((await gateRollback(store, OLD)).verdict).toBe('unknown');
    await writer.commit();
    expect((await gateRollback(store, OLD)).verdict).toBe('unsafe');
  });
});

describe('retirement', () => {
  const subject = { type: TYPE, version: 1 };

  test('V05: is refused while a record carries the version, names it, and goes through once it has ended', async () => {
    await run('old', 1, 2);
    await writer.begin();
    const { id } = await enqueue(writer.native, ReleasedParcelMoved, { id: 'a' });
    await writer.commit();
    const gate = await gateRetire(store, subject);
    expect(gate).toMatchObject({
      verdict: 'unsafe',
      revision: 1,
      blockers: [{ state: 'pending', count: 1, sampleIds: [id] }],
    });
    expect(await retireVersion(store, { ...subject, expectedRevision: 1 }, ANNA)).toMatchObject({ status: 'blocked' });

    await room.query('delete from waybill.delivery');
    expect((await gateRetire(store, subject)).verdict).toBe('safe');
    expect(await retireVersion(store, { ...subject, expectedRevision: 7 }, ANNA)).toEqual({
      status: 'revision-moved',
      revision: 1,
    });
    expect(await retireVersion(store, { ...subject, expectedRevision: 1 }, ANNA)).toEqual({
      status: 'retired',
      revision: 2,
    });
    await writer.begin();
    await expect(enqueue(writer.native, ReleasedParcelMoved, { id: 'a' })).rejects.toMatchObject({ why: 'retired' });
    await writer.rollback();
  });

  test('V05: waits for a transaction that may write the version, and then sees what it wrote', async () => {
    await run('old', 1, 2);
    await writer.begin();
    await outbox().enqueue(writer.native, ReleasedParcelMoved, { id: 'a' });
    const other = await room.session();
    const retiring = retireVersion(room.store(other), { ...subject, expectedRevision: 1 }, ANNA);
    await untilBlocked(room.observer, other, retiring);
    await writer.commit();
    expect(await retiring).toMatchObject({ status: 'blocked', blockers: [{ state: 'pending', count: 1 }] });
  });

  test('V05: a transaction that has written the version and is still open is seen by the gate', async () => {
    await run('old', 1, 2);
    await writer.begin();
    await enqueue(writer.native, ReleasedParcelMoved, { id: 'a' });
    expect(await gateRetire(store, subject)).toMatchObject({ verdict: 'unknown', blockers: [{ state: 'writable' }] });
    await writer.rollback();
    expect((await gateRetire(store, subject)).verdict).toBe('safe');
  });

  test('V05: a running service that has no newer version to write keeps it, until it has left', async () => {
    await run('old', 1, 2);
    const service = startWriter(store, { build: 'shop@1', writes: [ReleasedParcelMoved] });
    await service.registered;
    const gate = await gateRetire(store, subject);
    expect(gate).toMatchObject({ verdict: 'unsafe', blockers: [{ state: 'writer', count: 1 }] });
    expect(gate.blockers[0]?.detail).toContain('shop@1');
    expect(await retireVersion(store, { ...subject, expectedRevision: 1 }, ANNA)).toMatchObject({ status: 'blocked' });
    await service.stop();
    const newer = startWriter(store, { build: 'shop@2', writes: [ParcelMoved] });
    await newer.registered;
    expect((await gateRetire(store, subject)).verdict).toBe('safe');
    await newer.stop();
  });

  test('V05: is refused while writers fall back to the version, and for the newest one', async () => {
    await run('old', 1);
    expect(await gateRetire(store, subject)).toMatchObject({ verdict: 'unsafe', blockers: [{ state: 'writable' }] });
    expect((await gateRetire(store, { type: TYPE, version: 2 })).verdict).toBe('unsafe');
    expect((await gateRetire(store, { type: 'test.unknown', version: 1 })).verdict).toBe('unknown');
  });
});
