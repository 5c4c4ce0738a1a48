import { randomUUID } from 'node:crypto';
import { testDatabase } from '@waybill/local-postgres/vitest';
import { afterAll, describe, expect, test } from 'vitest';

import { DRIVERS } from '../test/drivers.ts';
import { installGenerationOne } from '../test/generation-one.ts';
import { ParcelMoved } from '../test/messages.ts';
import { openSession } from '../test/session.ts';
import { createClaimer } from './claimer.ts';
import { registerContracts } from './contracts.ts';
import { outbox } from './drivers/pg.ts';
import { entry } from './enqueue/prepare.ts';
import { checkSchema, compareSchema, migrate } from './migrate.ts';
import { readMigrations, schemaSql } from './migrations.ts';
import { renew } from './statements/renew.ts';
import { settle } from './statements/settle.ts';
import { sweep } from './statements/sweep.ts';
import { openStore } from './store.ts';

const database = await testDatabase({ empty: true });
const session = await openSession(database.url);
afterAll(async () => {
  await session.close();
  await database[Symbol.asyncDispose]();
});

const steps = readMigrations();
const names = steps.map(({ name }) => name);
let schemas = 0;
const freshSchema = (): string => `s${String((schemas += 1))}`;

test('F025: ten processes that start at the same moment migrate once, ten times over', async () => {
  const starting = await Promise.all(Array.from({ length: 10 }, () => openSession(database.url)));
  for (let round = 0; round < 10; round += 1) {
    const schema = freshSchema();
    const results = await Promise.all(starting.map((process) => migrate(openStore(process, { schema }))));
    expect(results.map(({ applied }) => applied).filter((applied) => applied.length > 0)).toEqual([names]);
    expect(await checkSchema(openStore(session, { schema }))).toEqual({ status: 'ready' });
  }
  await Promise.all(starting.map((process) => process.close()));
});

test('F025: a migration that fails half-way keeps nothing, and heals at the next run', async () => {
  const schema = freshSchema();
  const store = openStore(session, { schema });
  await session.query(`create schema ${schema}; create table ${schema}.dispatched (id integer)`);
  await expect(migrate(store)).rejects.toMatchObject({ code: 'STO_MIGRATION_FAILED', cause: { code: '42P07' } });
  expect(await checkSchema(store)).toEqual({ status: 'absent', pending: names });
  await session.query(`drop table ${schema}.dispatched`);
  expect(await migrate(store)).toEqual({ applied: names });
});

test('F078 S07: while a long transaction keeps a table, a migration is tried again and others go on enqueueing', async () => {
  const [reader, writer, migrating] = await Promise.all([1, 2, 3].map(() => openSession(database.url)));
  const store = await installGenerationOne(session, freshSchema());
  await reader!.begin();
  await reader!.query(`select * from ${store.quoted}.message`);
  const rests: number[] = [];
  const result = await migrate(openStore(migrating!, { schema: store.schema }), {
    lockTimeoutMs: 200,
    sleep: async (ms) => {
      await writer!.begin();
      await outbox({ schema: store.schema }).enqueue(writer!.native, ParcelMoved, { id: 'a', step: rests.push(ms) });
      await writer!.commit();
      if (rests.length === 2) await reader!.commit();
    },
  });
  expect(result.applied).toEqual(steps.filter(({ number }) => number > 1).map(({ name }) => name));
  // Vacuum may keep the table for a moment too.
  expect(rests.length).toBeGreaterThanOrEqual(2);
  expect(await session.query(`select 1 from ${store.quoted}.message`)).toHaveLength(rests.length);
  for (const each of [reader, writer, migrating]) await each!.close();
});

test('F078: a migration that never gets at a table says so, and has changed nothing', async () => {
  const reader = await openSession(database.url);
  const store = await installGenerationOne(session, freshSchema());
  await reader.begin();
  await reader.query(`select * from ${store.quoted}.message`);
  const blocked: number[] = [];
  const migrating = migrate(store, {
    lockTimeoutMs: 50,
    tries: 3,
    onBlocked: ({ tries }) => blocked.push(tries),
    sleep: () => Promise.resolve(),
  });
  await expect(migrating).rejects.toMatchObject({ code: 'STO_MIGRATION_BLOCKED' });
  expect(blocked).toEqual([1, 2]);
  expect(await checkSchema(store)).toMatchObject({ status: 'behind' });
  await reader.close();
});

test('the schema as one script is what migrate would have made', async () => {
  const schema = freshSchema();
  await session.query(schemaSql(schema));
  expect(await checkSchema(openStore(session, { schema }))).toEqual({ status: 'ready' });
  expect(await migrate(openStore(session, { schema }))).toEqual({ applied: [] });
});

describe('how a schema stands to this version of the store', () => {
  const applied = steps.map(({ number, name, breaking }) => ({ number, name, breaking }));
  const newer = { number: Math.max(...steps.map(({ number }) => number)) + 1, name: 'newer', breaking: false };
  test.each([
    ['all steps', applied, { status: 'ready' }],
    ['a step of a newer version', [...applied, newer], { status: 'ready' }],
    [
      'a breaking step of a newer version',
      [...applied, { ...newer, breaking: true }],
      { status: 'ahead', unknown: ['newer'] },
    ],
    ['one step less', applied.slice(0, -1), { status: 'behind', pending: names.slice(-1) }],
    ['nothing', [], { status: 'behind', pending: names }],
  ])('D03: %s', (_what, given, status) => {
    expect(compareSchema(steps, given)).toEqual(status);
  });

  test('D03: a database ahead of this version is not touched', async () => {
    const store = openStore(session, { schema: freshSchema() });
    await migrate(store);
    await session.query(
      `insert into ${store.quoted}.migration (number, name, breaking, checksum) values (9999, 'beyond', true, '')`,
    );
    expect(await checkSchema(store)).toEqual({ status: 'ahead', unknown: ['beyond'] });
    await expect(migrate(store)).rejects.toMatchObject({ code: 'STO_SCHEMA_AHEAD' });
  });

  test('W22: asking costs nothing where nothing is', async () => {
    expect(await checkSchema(openStore(session, { schema: 'nowhere' }))).toEqual({ status: 'absent', pending: names });
    expect(await session.query(`select 1 from pg_namespace where nspname = 'nowhere'`)).toEqual([]);
  });
});

describe('F056: names of schemas', () => {
  const SIXTY = 'n'.repeat(60);
  test.each([
    'My-Schema',
    'select',
    'a"b',
    "a'b",
    'a;drop table t;--',
    'x.y',
    'ümläut',
    'a$&b$$c',
    'back\\slash',
    '{{schema}}',
    `${SIXTY}abc`,
    `${SIXTY}abd`,
  ])('F056 D03: %s works from migration to settlement', async (schema) => {
    const store = openStore(session, { schema });
    expect(await migrate(store)).toEqual({ applied: names });
    const contracts = await registerContracts(
      store,
      [{ type: ParcelMoved.type, version: 2, kind: ParcelMoved.kind }],
      'test',
    );
    for (const { connect } of DRIVERS) {
      const driver = connect(database.url);
      await driver.transaction(
        (unit) => unit.enqueueMany([1, 2].map((step) => entry(ParcelMoved, { id: 'a', step }))),
        { schema },
      );
      await driver.close();
    }
    const owner = randomUUID();
    const claimer = createClaimer(store, { owner, contracts, leaseMs: 60_000, now: () => 0 });
    const [run] = (await claimer.claim({ limit: 9, runLength: 9, timed: true })).runs;
    expect(run?.records).toHaveLength(4);
    expect((await renew(session, store, { owner, leases: [run!], leaseMs: 60_000 })).renewed.size).toBe(1);
    await settle(session, store, owner, [
      {
        head: run!.head,
        fence: run!.fence,
        delivered: run!.records.map(({ position }) => position),
        next: { then: 'release' },
      },
    ]);
    expect(await sweep(session, store, { most: 9, retryMs: 0 })).toBe(0);
    expect(await session.query(`select distinct state from ${store.quoted}.record`)).toEqual([{ state: 'dispatched' }]);
  });

  test.each([
    ['', 'empty'],
    [`${SIXTY}abcd`, '64 bytes'],
    ['ü'.repeat(32), '64 bytes in 32 characters'],
    ['a\0b', 'NUL'],
  ])('F056: %j is refused before any statement (%s)', (schema) => {
    expect(() => openStore(session, { schema })).toThrow(
      expect.objectContaining({ code: 'STO_INVALID_OPTION' }) as Error,
    );
  });
});
