import { testDatabase } from '@waybill/local-postgres/vitest';
import { afterAll, afterEach, expect, test } from 'vitest';

import { drain } from '../../test/dead.ts';
import { openRoles } from '../../test/roles.ts';
import { openRoom } from '../../test/room.ts';
import { openSession } from '../../test/session.ts';
import { createWorker } from '../../test/worker.ts';
import { migrate } from '../migrate.ts';
import { openStore } from '../store.ts';
import { readStoreHealth } from './health.ts';

const TABLES = ['dead_letter', 'delivery', 'dispatched', 'message'];
/** The server counts dead rows some time after they are left. */
const PATIENCE = { timeout: 30_000 };

const room = await openRoom();
const store = room.store(room.observer);
afterEach(() => room.clear());
afterAll(() => room[Symbol.asyncDispose]());

const oldestAge = async (): Promise<number> => (await readStoreHealth(store)).oldestTransactionAgeMs;

test('W27: each table has a size and dead rows, which a delivered message leaves behind', async () => {
  const before = await readStoreHealth(store);
  expect(before.tables.map(({ table }) => table)).toEqual(TABLES);
  await room.query('alter table waybill.delivery set (autovacuum_enabled = off)');
  await room.enqueue(room.observer, 'a', ...Array.from({ length: 500 }, (_, step) => step + 1));
  // A session that ends tells the server at once what it did.
  const session = await openSession(room.url);
  await drain(createWorker(session, { contracts: room.contracts }));
  await session.close();
  const delivery = async () => (await readStoreHealth(store)).tables.find(({ table }) => table === 'delivery');
  await expect.poll(async () => (await delivery())?.deadRows, PATIENCE).toBeGreaterThanOrEqual(500);
  const bytes = before.tables.find(({ table }) => table === 'delivery')?.bytes ?? 0;
  expect((await delivery())?.bytes).toBeGreaterThan(bytes);
});

test('W27: a transaction that holds vacuum back has an age, one that only began has none', async () => {
  await expect.poll(oldestAge, PATIENCE).toBe(0);
  const session = await room.session();
  await session.begin();
  await session.query('select 1');
  await session.query('select pg_sleep(0.1)');
  expect(await oldestAge()).toBe(0);
  await session.query('select pg_current_xact_id()');
  expect(await oldestAge()).toBeGreaterThanOrEqual(100);
  await session.rollback();
  await session.begin('repeatable read');
  await session.query('select 1');
  await expect.poll(oldestAge).toBeGreaterThan(0);
  await session.rollback();
  await expect.poll(oldestAge, PATIENCE).toBe(0);
});

test('W27: a vacuum holds nothing back, however long it takes', async () => {
  await room.query('create table public.large as select generate_series(1, 200000) as n; delete from public.large');
  const session = await room.session();
  await session.query('set vacuum_cost_delay = 100; set vacuum_cost_limit = 1');
  const vacuum = session.query('vacuum public.large').catch((error: unknown) => error);
  const running = 'select pid from pg_stat_progress_vacuum where pid = $1::integer';
  const likeOthers = 'select 1 from pg_stat_activity where pid = $1::integer and backend_xmin is not null';
  try {
    await expect.poll(() => room.query(running, [session.pid]), PATIENCE).toHaveLength(1);
    expect(await room.query(likeOthers, [session.pid]), 'it looks like any other transaction').toHaveLength(1);
    expect(await oldestAge()).toBe(0);
  } finally {
    await room.query('select pg_cancel_backend($1::integer)', [session.pid]);
  }
  expect(await vacuum).toMatchObject({ code: '57014' });
  await room.query('drop table public.large');
});

test('W27 S08: a dispatcher of least privilege reads it, and sees transactions of others once it may read all statistics', async () => {
  const { superuser, sessions, names, close } = await openRoles();
  try {
    const restricted = openStore(sessions.dispatcher);
    await superuser.begin();
    await superuser.query('select pg_current_xact_id()');
    const health = await readStoreHealth(restricted);
    expect(health.tables.map(({ table }) => table)).toEqual(TABLES);
    expect(health.oldestTransactionAgeMs).toBe(0);
    await sessions.producer.begin();
    await superuser.rollback();
    await superuser.query(`grant pg_read_all_stats to "${names.dispatcher}"`);
    await sessions.producer.query('select pg_current_xact_id()');
    await expect.poll(async () => (await readStoreHealth(restricted)).oldestTransactionAgeMs).toBeGreaterThan(0);
    await sessions.producer.rollback();
  } finally {
    await close();
  }
});

test('F056 W27: a schema of any name is found', async () => {
  await using database = await testDatabase({ empty: true });
  const session = await openSession(database.url);
  const odd = openStore(session, { schema: `Odd "name's.` });
  await migrate(odd);
  expect((await readStoreHealth(odd)).tables.map(({ table }) => table)).toEqual(TABLES);
  await session.close();
});
