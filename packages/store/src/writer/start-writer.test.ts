import { testDatabase } from '@waybill/local-postgres/vitest';
import { afterAll, describe, expect, test } from 'vitest';

import { ManualClock } from '../../test/manual-clock.ts';
import { NoteTaken, ParcelMoved } from '../../test/messages.ts';
import { openSession } from '../../test/session.ts';
import { connectPg, outbox } from '../drivers/pg.ts';
import { migrate } from '../migrate.ts';
import { openStore } from '../store.ts';
import { startWriter } from './start-writer.ts';
import type { WriterReport } from './writer.ts';

const database = await testDatabase({ empty: true });
const session = await openSession(database.url);
afterAll(async () => {
  await session.close();
  await database[Symbol.asyncDispose]();
});
let schemas = 0;

async function freshStore(migrated: boolean) {
  const store = openStore(session, { schema: `writers${String((schemas += 1))}` });
  if (migrated) await migrate(store);
  const writers = () =>
    session.query(
      `select w.id, build, generation, left_at is not null as has_left, seen_at > started_at as seen,
         (select json_agg(c.type || '@' || c.schema_version order by c.type) from ${store.quoted}.contract c where c.id = any (w.writes)) as writes
       from ${store.quoted}.writer w order by w.id`,
    );
  return { store, writers };
}

describe('the registry of writers', () => {
  test('Q08: a service registers its build, its generation and what it writes, and its messages name it', async () => {
    const { store, writers } = await freshStore(true);
    const clock = new ManualClock();
    const writer = startWriter(store, { build: 'shop@2.1.0', writes: [ParcelMoved, NoteTaken], clock });
    await writer.registered;
    const entry = { id: writer.id, build: 'shop@2.1.0', generation: 2, has_left: false };
    const writes = ['test.note-taken@1', 'test.parcel-moved@2'];
    expect(await writers()).toEqual([{ ...entry, seen: false, writes }]);

    await session.begin();
    await outbox({ writer }).enqueue(session.native, ParcelMoved, { id: 'a', step: 1 });
    await session.commit();
    expect(await session.query(`select written_by from ${store.quoted}.message`)).toEqual([{ written_by: writer.id }]);

    await clock.next();
    expect(await writers()).toMatchObject([{ ...entry, seen: true }]);
    await writer.stop();
    expect(await writers()).toMatchObject([{ id: entry.id, has_left: true }]);
    expect(writer.id).toBeNull();
  });

  test('W22 Q08: started before the migration it waits for it, longer and longer, says so once a minute, and enqueue works meanwhile', async () => {
    const { store } = await freshStore(false);
    const clock = new ManualClock();
    const reports: WriterReport[] = [];
    const writer = startWriter(store, {
      build: 'shop@1',
      writes: [ParcelMoved],
      clock,
      report: (report) => {
        reports.push(report);
        throw new Error('a reporter of somebody who tests us');
      },
    });
    const rests = [await clock.rests()];
    while (rests.length < 9) rests.push(await clock.next());
    expect(rests).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(reports).toMatchObject([
      { status: 'failing', failures: 1, cause: { code: 'STO_SCHEMA_NOT_READY' } },
      { status: 'failing', failures: 8 },
    ]);

    await migrate(store);
    await session.begin();
    await outbox({ writer }).enqueue(session.native, ParcelMoved, { id: 'a', step: 1 });
    await session.commit();
    expect(await session.query(`select written_by from ${store.quoted}.message`)).toEqual([{ written_by: null }]);
    await clock.next();
    expect(reports.at(-1)).toEqual({ status: 'registered', id: writer.id });
    await writer.stop();
  });

  test('Q08: a service whose entry somebody has removed comes back under a new id', async () => {
    const { store, writers } = await freshStore(true);
    const clock = new ManualClock();
    const writer = startWriter(store, { build: 'shop@1', writes: [NoteTaken], clock });
    await writer.registered;
    const before = writer.id;
    await session.query(`delete from ${store.quoted}.writer`);
    await clock.next();
    expect(writer.id).not.toBe(before);
    expect(await writers()).toMatchObject([{ id: writer.id, has_left: false }]);
    await writer.stop();
  });

  test('F026: a store that nobody can reach is reported, never thrown, and stopping ends at once', async () => {
    const unreachable = connectPg({ url: 'postgres://nobody@127.0.0.1:9/none', connectTimeoutMs: 1_000 });
    const clock = new ManualClock();
    const reports: WriterReport[] = [];
    const writer = startWriter(openStore(unreachable), {
      build: 'shop@1',
      writes: [NoteTaken],
      clock,
      report: (report) => reports.push(report),
    });
    await clock.rests();
    await writer.stop();
    await writer.registered;
    expect(reports).toMatchObject([{ status: 'failing', failures: 1 }]);
    await unreachable.close();
  });
});
