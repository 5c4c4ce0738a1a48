/** Databases with settings and moods of their own. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, test } from 'vitest';

import { DRIVERS } from '../test/drivers.ts';
import { ParcelMoved } from '../test/messages.ts';
import { openRoom } from '../test/room.ts';
import { createClaimer } from './claimer.ts';
import { connectPg } from './drivers/pg.ts';
import { classifyStoreError } from './sql-errors.ts';
import { settle } from './statements/settle.ts';
import { sweep } from './statements/sweep.ts';
import { openStore } from './store.ts';

const room = await openRoom();
const name = new URL(room.url).pathname.slice(1);
const set = (setting: string): Promise<unknown> => room.query(`alter database "${name}" set ${setting}`);
afterEach(async () => {
  await room.query(`alter database "${name}" reset all`);
  await room.clear();
});
afterAll(() => room[Symbol.asyncDispose]());

describe.each(['serializable', 'repeatable read'])('F053: a database whose default isolation is %s', (isolation) => {
  test.each(DRIVERS)('F053 I02: claims, sweeps and settles as ever on $driver', async ({ connect }) => {
    await set(`default_transaction_isolation = '${isolation}'`);
    const driver = connect(room.url);
    const store = openStore(driver.database);
    await driver.transaction((unit) => unit.enqueue(ParcelMoved, { id: 'k', step: 1 }), { isolation });
    await driver.transaction((unit) => unit.enqueue(ParcelMoved, { id: 'k', step: 2 }), { isolation });
    const owner = randomUUID();
    const claimer = createClaimer(store, { owner, contracts: room.contracts, leaseMs: 60_000, now: () => 0 });
    for (const step of [1, 2]) {
      const { runs } = await claimer.claim({ limit: 10, runLength: 1, timed: true });
      expect(runs.map(({ records }) => records[0]?.payload)).toEqual([JSON.stringify({ id: 'k', step })]);
      await settle(store.database, store, owner, [
        { head: runs[0]!.head, fence: runs[0]!.fence, delivered: [runs[0]!.head], next: { then: 'release' } },
      ]);
      await sweep(store.database, store, { most: 10, retryMs: 0 });
    }
    expect(await room.rows('k')).toEqual([]);
    await driver.close();
  });
});

test('F053: many serializable writers and several dispatchers neither abort each other nor lose anything', async () => {
  await set(`default_transaction_isolation = 'serializable'`);
  const [WRITERS, EACH] = [8, 10];
  const driver = DRIVERS[0]!.connect(room.url, { max: WRITERS + 4 });
  const store = openStore(driver.database);
  const delivered: string[] = [];
  const failed = new AbortController();
  const dispatch = async (): Promise<void> => {
    const owner = randomUUID();
    const claimer = createClaimer(store, { owner, contracts: room.contracts, leaseMs: 60_000, now: () => 0 });
    while (delivered.length < WRITERS * EACH && !failed.signal.aborted) {
      for (const { head, fence, records } of (await claimer.claim({ limit: 10, runLength: 5, timed: true })).runs) {
        delivered.push(...records.map((record) => record.payload));
        const positions = records.map(({ position }) => position);
        await settle(store.database, store, owner, [{ head, fence, delivered: positions, next: { then: 'release' } }]);
      }
      await sweep(store.database, store, { most: 10, retryMs: 0 });
    }
  };
  const write = async (writer: number): Promise<void> => {
    for (let step = 1; step <= EACH; step += 1)
      await driver.transaction((unit) => unit.enqueue(ParcelMoved, { id: `w${String(writer)}`, step }), {
        isolation: 'serializable',
      });
  };
  const dispatchers = Promise.all(Array.from({ length: 4 }, dispatch));
  await Promise.all(Array.from({ length: WRITERS }, (_, n) => write(n))).catch((error: unknown) => {
    failed.abort();
    throw error;
  });
  await dispatchers;
  for (let writer = 0; writer < WRITERS; writer += 1) {
    const steps = delivered.filter((text) => text.includes(`"w${String(writer)}"`));
    expect(steps).toEqual(
      Array.from({ length: EACH }, (_, n) => JSON.stringify({ id: `w${String(writer)}`, step: n + 1 })),
    );
  }
  await driver.close();
});

test('F050 I10: a connection to a server that only reads is replaced, and nothing is charged to a record', async () => {
  await room.enqueue(await room.session(), 'k', 1);
  await set('default_transaction_read_only = on');
  const database = connectPg({ url: room.url, max: 1 });
  const store = openStore(database);
  const claimer = createClaimer(store, {
    owner: randomUUID(),
    contracts: room.contracts,
    leaseMs: 60_000,
    now: () => 0,
  });
  const claim = () => claimer.claim({ limit: 1, runLength: 1, timed: true });
  const pid = () =>
    database.connection(async (connection) => (await connection.query('select pg_backend_pid() as pid'))[0]?.['pid']);
  const error: unknown = await claim().catch((thrown: unknown) => thrown);
  expect([classifyStoreError(error), error]).toMatchObject(['unavailable', { code: '25006' }]);

  const before = await pid();
  const write = database.connection((connection) => connection.query('create table never (id integer)'));
  await expect(write).rejects.toMatchObject({ code: '25006' });
  expect(await pid(), 'a borrowed connection is replaced too').not.toBe(before);

  await room.query(`alter database "${name}" reset default_transaction_read_only`);
  await expect(
    database.connection((connection) => connection.query('create table never (id integer)')),
  ).rejects.toThrow();
  const { runs } = await claim();
  expect(runs[0]?.records[0]?.attempt).toBe(0);
  await database.close();
});

test('F050 I10: a connection that the server ends is reported as the store being unavailable, and the next claim works', async () => {
  await room.enqueue(await room.session(), 'k', 1);
  const database = connectPg({ url: room.url, max: 1, applicationName: 'to be ended' });
  const store = openStore(database);
  const claimer = createClaimer(store, {
    owner: randomUUID(),
    contracts: room.contracts,
    leaseMs: 60_000,
    now: () => 0,
  });
  const error: unknown = await database
    .connection(async (connection) => {
      const [row] = await connection.query('select pg_backend_pid() as pid');
      await room.query('select pg_terminate_backend($1::integer, 10000)', [Number(row?.['pid'])]);
      return connection.query('select 1');
    })
    .catch((thrown: unknown) => thrown);
  expect(classifyStoreError(error)).toBe('unavailable');
  expect((await claimer.claim({ limit: 1, runLength: 1, timed: true })).runs).toHaveLength(1);
  await database.close();
});
