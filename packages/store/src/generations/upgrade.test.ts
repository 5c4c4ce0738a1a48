/** Two generations of tables and of libraries, in every pair. */
import { randomUUID } from 'node:crypto';
import { testDatabase } from '@waybill/local-postgres/vitest';
import { afterAll, describe, expect, test } from 'vitest';

import { DRIVERS } from '../../test/drivers.ts';
import { installGenerationOne, oldLibrary } from '../../test/generation-one.ts';
import { NoteTaken, ParcelMoved, testReaders } from '../../test/messages.ts';
import { openSession, type Session, untilBlocked } from '../../test/session.ts';
import { createClaimer } from '../claimer.ts';
import { registerContracts } from '../contracts.ts';
import { outbox } from '../drivers/pg.ts';
import { entry } from '../enqueue/prepare.ts';
import { checkSchema, migrate } from '../migrate.ts';
import { auditWaiting } from '../operators/audit-waiting.ts';
import { claimBatch, renewBatch, settleBatch } from '../statements/batch.ts';
import { settle } from '../statements/settle.ts';
import { openStore, type Store } from '../store.ts';
import { startWriter } from '../writer/start-writer.ts';
import { backfillKeys } from './backfill-keys.ts';
import { schemaGeneration } from './generation.ts';
import { writersBehind } from './writers-behind.ts';

const database = await testDatabase({ empty: true });
const [session, other] = [await openSession(database.url), await openSession(database.url)];
afterAll(async () => {
  await Promise.all([session.close(), other.close()]);
  await database[Symbol.asyncDispose]();
});
let schemas = 0;
const freshSchema = (): string => `Generation "${String((schemas += 1))}"`;
const oldTables = (): Promise<Store> => installGenerationOne(session, freshSchema());
async function newTables(): Promise<Store> {
  const store = openStore(session, { schema: freshSchema() });
  await migrate(store);
  return store;
}
const register = (store: Store) =>
  registerContracts(
    store,
    [ParcelMoved, NoteTaken].map(({ type, newest, kind }) => ({ type, version: newest, kind })),
    'test',
  );
const keys = async (store: Store) =>
  (await session.query(`select record_key from ${store.quoted}.message order by seq`)).map((row) => row['record_key']);
async function send(on: Session, store: Store, ...steps: readonly number[]): Promise<void> {
  await outbox({ schema: store.schema }).enqueueMany(
    on.native,
    steps.map((step) => entry(ParcelMoved, { id: 'k', step })),
  );
}

describe('Q07: which generation the tables are', () => {
  test('Q07: is read from the tables, whatever is noted about them', async () => {
    const store = await oldTables();
    await session.query(
      `insert into ${store.quoted}.migration (number, name, breaking, checksum) values (2, 'record_key', false, '')`,
    );
    expect(await schemaGeneration(store)).toBe(1);
    expect(await schemaGeneration(await newTables())).toBe(2);
  });

  test('Q07: is unknown where there are none', async () => {
    await expect(schemaGeneration(openStore(session, { schema: 'nowhere' }))).rejects.toMatchObject({
      code: 'STO_SCHEMA_NOT_READY',
    });
  });
});

describe('Q07: this library on the tables of generation 1', () => {
  test.each(DRIVERS)(
    'Q07 F079: enqueues with $driver in the older columns, repeats and conflicts as ever',
    async ({ connect }) => {
      const store = await oldTables();
      const driver = connect(database.url);
      const id = randomUUID();
      const outcomes = await driver.transaction(
        async (unit) => [
          await unit.enqueue(ParcelMoved, { id: 'k', step: 1 }, { id }),
          await unit.enqueue(ParcelMoved, { id: 'k', step: 1 }, { id }),
          await unit.enqueue(ParcelMoved, { id: 'k', step: 2 }, { id }).catch((error: unknown) => error),
          await unit.enqueue(ParcelMoved, { id: 'k', step: 3 }, { dueAt: new Date(Date.now() + 60_000) }),
        ],
        { schema: store.schema },
      );
      expect(outcomes).toMatchObject([
        { id, created: true },
        { id, created: false },
        { code: 'STO_ID_CONFLICT' },
        { created: true },
      ]);
      expect(
        await session.query(
          `select ready_xid is not null as ready, due_at is not null as timed from ${store.quoted}.delivery order by position`,
        ),
      ).toEqual([
        { ready: true, timed: false },
        { ready: false, timed: true },
      ]);
      await driver.close();
    },
  );

  test('Q07: a batch drainer claims in order of position, renews, settles and fences; backfill has nothing to do', async () => {
    const store = await oldTables();
    const ids = [...(await register(store)).values()];
    await session.begin();
    await send(session, store, 1, 2, 3, 4);
    await outbox({ schema: store.schema }).enqueue(
      session.native,
      ParcelMoved,
      { id: 'k', step: 5 },
      { dueAt: new Date(Date.now() + 60_000) },
    );
    await session.commit();
    const [owner, late] = [randomUUID(), randomUUID()];
    const request = { owner, most: 10, leaseMs: 60_000, contractIds: ids };
    const batch = await claimBatch(session, store, request);
    expect(batch.map(({ payload }) => (JSON.parse(payload) as { step: number }).step)).toEqual([1, 2, 3, 4, 5]);
    expect(batch.map(({ dueInMs }) => dueInMs > 0)).toEqual([false, false, false, false, true]);
    expect(await claimBatch(session, store, { ...request, owner: late })).toEqual([]);
    expect((await renewBatch(session, store, { owner, leaseMs: 60_000, leases: batch })).size).toBe(5);
    expect((await renewBatch(session, store, { owner: late, leaseMs: 60_000, leases: batch })).size).toBe(0);

    const of = (index: number) => ({ position: batch[index]!.position, fence: batch[index]!.fence });
    const settlements = [
      { ...of(0), outcome: { then: 'dispatched' } },
      { ...of(1), outcome: { then: 'retry', delayMs: 60_000, error: 'busy' } },
      { ...of(2), outcome: { then: 'release' } },
      { ...of(3), outcome: { then: 'dead-letter', reason: 'refused', error: 'no' } },
    ] as const;
    expect((await settleBatch(session, store, late, settlements)).size).toBe(0);
    expect((await settleBatch(session, store, owner, settlements)).size).toBe(4);
    expect((await settleBatch(session, store, owner, settlements)).size).toBe(0);
    const again = await claimBatch(session, store, request);
    expect(again.map(({ payload, attempt, dueInMs }) => [payload, attempt, dueInMs > 0])).toEqual([
      ['{"id":"k","step":2}', 1, true],
      ['{"id":"k","step":3}', 0, false],
    ]);
    expect(await backfillKeys(store, testReaders)).toEqual({ outcome: 'no-keys' });
    expect(await writersBehind(store)).toEqual({ writers: [], keyless: [] });
    expect((await checkSchema(store)).status).toBe('behind');
  });
});

test('Q08 F079: a process that saw tables without keys writes them from the first enqueue after the migration, on the same connection', async () => {
  const store = await oldTables();
  const running = await openSession(database.url);
  await running.begin();
  await send(running, store, 1);
  const migrating = migrate(openStore(other, { schema: store.schema }));
  await untilBlocked(session, other, migrating);
  await running.commit();
  await migrating;
  await running.begin();
  await send(running, store, 2);
  await running.commit();
  expect(await keys(store)).toEqual([null, 'Parcel/k']);
  expect(await writersBehind(store)).toEqual({ writers: [], keyless: [] });
  await running.close();
});

describe('F079: the library of generation 1 on the tables of generation 2', () => {
  test('Q08 F079: what it enqueues is delivered, and shown as written without a key', async () => {
    const store = await newTables();
    const contracts = await register(store);
    const old = oldLibrary(session, store.quoted);
    await old.enqueue(ParcelMoved.type, 2, { id: 'k', step: 1 }, { id: 'k', step: 2 });
    expect(await keys(store)).toEqual([null, null]);
    const behind = { type: ParcelMoved.type, version: 2, count: 2, newestAt: expect.any(Date) };
    expect(await writersBehind(store)).toEqual({ writers: [], keyless: [behind] });

    const owner = randomUUID();
    const claimer = createClaimer(store, { owner, contracts, leaseMs: 60_000, now: () => 0 });
    const [first, second] = (await claimer.claim({ limit: 10, runLength: 10, timed: true })).runs;
    const results = await settle(session, store, owner, [
      { head: first!.head, fence: first!.fence, delivered: [first!.head], next: { then: 'release' } },
      {
        head: second!.head,
        fence: second!.fence,
        delivered: [],
        next: { then: 'retry', delayMs: 0, error: 'once more' },
      },
    ]);
    expect(results.map(({ status }) => status)).toEqual(['settled', 'settled']);
    const [again] = (await claimer.claim({ limit: 10, runLength: 10, timed: true })).runs;
    expect(again?.records.map(({ attempt, payload }) => [attempt, payload])).toEqual([[1, '{"id":"k","step":2}']]);
  });

  test('Q08 F079 I03: its drainer takes heads of keys alone, and what it settles wakes what follows', async () => {
    const store = await newTables();
    const ids = [...(await register(store)).values()];
    await session.begin();
    await send(session, store, 1, 2, 3);
    await session.commit();
    const old = oldLibrary(session, store.quoted);
    const owner = randomUUID();
    const delivered: string[] = [];
    for (const outcome of ['dispatched', 'retry', 'dead-letter', 'dispatched']) {
      const batch = await old.claim(owner, ids);
      expect(batch).toHaveLength(1);
      delivered.push(batch[0]!.payload);
      expect(await old.settle(owner, batch[0]!, outcome), outcome).toBe(true);
      expect(await old.settle(owner, batch[0]!, outcome), outcome).toBe(false);
    }
    expect(delivered).toEqual([1, 2, 2, 3].map((step) => `{"id":"k","step":${String(step)}}`));
    expect(await session.query(`select state, attempt from ${store.quoted}.record order by payload->>'step'`)).toEqual([
      { state: 'dispatched', attempt: 1 },
      { state: 'dead-letter', attempt: 2 },
      { state: 'dispatched', attempt: 1 },
    ]);
    expect(await auditWaiting(store)).toMatchObject({ waiting: 0, orphaned: 0, healed: 0 });
  });

  test('Q08: a running writer of an older generation is named until it has left or gone silent', async () => {
    const store = await newTables();
    const writer = startWriter(store, { build: 'new@2', writes: [ParcelMoved] });
    await writer.registered;
    await session.query(`insert into ${store.quoted}.writer (build, generation, writes, seen_at, left_at) values
      ('old@1', 1, '{}', clock_timestamp(), null), ('gone@1', 1, '{}', clock_timestamp(), clock_timestamp()),
      ('silent@1', 1, '{}', clock_timestamp() - interval '2 minutes', null)`);
    expect((await writersBehind(store)).writers).toMatchObject([{ build: 'old@1', generation: 1 }]);
    await writer.stop();
  });
});
