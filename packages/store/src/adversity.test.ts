/** What callers, and whoever shares the database, may do at the worst moment. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { startPostgres } from '@waybill/local-postgres';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';

import { ANNA, drain, kill } from '../test/dead.ts';
import { NoteTaken, ParcelMoved } from '../test/messages.ts';
import { openRoom } from '../test/room.ts';
import { openSession, type Session, untilBlocked } from '../test/session.ts';
import { createWorker } from '../test/worker.ts';
import { registerContracts } from './contracts.ts';
import { connectPg, createOnce, enqueue, enqueueMany, inbox } from './drivers/pg.ts';
import { listenForHints } from './drivers/pg-hints.ts';
import { entry } from './enqueue/prepare.ts';
import { migrate } from './migrate.ts';
import { replay } from './operators/replay.ts';
import { openStore } from './store.ts';

const room = await openRoom();
await room.query('create table public.invoice (number text primary key)');
let writer: Session;
let other: Session;
beforeEach(async () => {
  [writer, other] = [await room.session(), await room.session()];
});
afterEach(async () => {
  const stranded = await room.stranded();
  await room.clear();
  expect(stranded, 'waiting rows that nobody will wake').toBe(0);
});
afterAll(() => room[Symbol.asyncDispose]());

describe('subtransactions', () => {
  test('W04 S01: an id of a savepoint that was rolled back is new again, in its place behind what came meanwhile', async () => {
    const id = randomUUID();
    await writer.begin();
    await writer.query('savepoint one');
    expect(await enqueue(writer.native, ParcelMoved, { id: 'k', step: 1 }, { id })).toMatchObject({ created: true });
    await writer.query('rollback to one');
    await enqueue(writer.native, ParcelMoved, { id: 'k', step: 2 });
    expect(await enqueue(writer.native, ParcelMoved, { id: 'k', step: 1 }, { id })).toMatchObject({ created: true });
    expect(await enqueue(writer.native, ParcelMoved, { id: 'k', step: 1 }, { id })).toMatchObject({ created: false });
    await writer.commit();
    expect(await room.rows('k')).toEqual(['2 ready', '1 waiting']);
    expect(await drain(await room.worker())).toEqual(['k:2', 'k:1']);
  });

  test('I02 Q10: the guard of a savepoint that was rolled back holds up nobody, and that of its transaction does', async () => {
    await writer.begin();
    await writer.query('savepoint one');
    await room.enqueue(writer, 'a', 1);
    await writer.query('rollback to one');
    await room.enqueue(other, 'a', 2);
    await room.enqueue(writer, 'a', 3);
    const later = room.enqueue(other, 'a', 4);
    await untilBlocked(room.observer, other, later);
    await writer.commit();
    await later;
    expect(await drain(await room.worker())).toEqual(['a:2', 'a:3', 'a:4']);
  });
});

test('S01: a snapshot that is too old to see who wrote the id is told to try again, and then finds a repeat', async () => {
  const id = randomUUID();
  const write = () => enqueue(writer.native, ParcelMoved, { id: 'k', step: 1 }, { id });
  await writer.begin('repeatable read');
  await writer.query('select 1 from waybill.message');
  await other.begin();
  await enqueue(other.native, ParcelMoved, { id: 'k', step: 1 }, { id });
  await other.commit();
  await expect(write()).rejects.toMatchObject({ code: '40001' });
  await writer.rollback();
  await writer.begin('repeatable read');
  expect(await write()).toEqual({ id, version: 2, created: false });
  await writer.commit();
  expect(await room.rows('k')).toEqual(['1 ready']);
});

test('I03 Q02: a key of ten thousand followers is settled, retried, enqueued to and replayed at once', async () => {
  await writer.begin();
  await enqueueMany(
    writer.native,
    Array.from({ length: 10_000 }, (_, n) => entry(ParcelMoved, { id: 'deep', step: n })),
  );
  await writer.commit();
  const worker = await room.worker();
  const [first] = (await worker.claim({ runLength: 1 })).runs;
  await kill(worker, first!);
  const dead = first!.records[0]!.id;
  const open = other.begin().then(() => room.enqueue(other, 'deep', 10_000));
  const [run] = (await worker.claim({ limit: 300, runLength: 300 })).runs;
  expect(run!.records).toHaveLength(300);
  await open;
  // On a session of its own, since what waits on the observer's would keep the observer from ending the wait.
  const replayer = await room.session();
  const replaying = replay(openStore(replayer), dead, ANNA);
  await untilBlocked(room.observer, replayer, replaying);
  // The writer holds the key: the replay waits for it, and nothing else does.
  expect(await worker.settle(run!, 150, { then: 'retry', delayMs: 0, error: 'once more' })).toMatchObject({
    status: 'settled',
  });
  expect((await worker.claim({ limit: 10, runLength: 10 })).runs.map(({ records }) => records.length)).toEqual([1]);
  await room.expireLeases();
  worker.claimer.forget();
  await other.commit();
  expect(await replaying).toMatchObject({ status: 'replayed', place: 'waiting' });
  const rest = await drain(worker);
  expect(rest.map((step) => Number(step.split(':')[1]))).toEqual([
    ...Array.from({ length: 9_850 }, (_, n) => 151 + n),
    0,
  ]);
});

test.each(['pg_catalog, public', 'hostile, pg_catalog', ''])(
  'F095: with the search path "%s" and things of the same names in it, temporary ones too, the whole life goes on',
  async (path) => {
    const worker = await room.worker();
    await worker.session.query(
      `create schema if not exists hostile;
       create temp table message (x integer); create temp table delivery (x integer); create temp table contract (x integer);
       create temp table dead_letter (x integer); create temp table dispatched (x integer); create temp table policy (x integer);
       create or replace function hostile.clock_timestamp() returns timestamptz language sql as 'select null::timestamptz';
       create or replace function hostile.guard_stripe(text) returns integer language sql as 'select 1 / 0';
       create or replace function hostile.wake(text[], bigint[], bigint[]) returns void language sql as 'select 1 / 0';
       create or replace function hostile.unnest(bigint[]) returns setof bigint language sql as 'select 1 / 0'`,
    );
    for (const mocked of ['format(text, text, text)', 'date_part(text, timestamptz)', 'pg_current_xact_id()'])
      await worker.session.query(
        `create or replace function hostile.${mocked} returns text language sql as 'select null'`,
      );
    await worker.session.query('select set_config($1, $2, false)', ['search_path', path]);
    await room.enqueue(worker.session, 'k', 1, 2, 3);
    await worker.session.begin();
    expect(await inbox(worker.session.native, 'billing', `path ${path}`)).toBe('first');
    const invoice = { table: { schema: 'public', name: 'invoice' }, key: { number: path }, values: {} };
    for (const created of [true, false])
      expect(await createOnce(worker.session.native, invoice)).toMatchObject({ created });
    await worker.session.commit();
    const [run] = (await worker.claim({ runLength: 2 })).runs;
    await worker.settle(run!, 1, { then: 'retry', delayMs: 0, error: 'once more' });
    const [again] = (await worker.claim()).runs;
    await kill(worker, again!);
    expect(await drain(worker)).toEqual(['k:3']);
    await worker.session.query(
      'drop schema hostile cascade; drop table pg_temp.message, pg_temp.delivery, pg_temp.contract, pg_temp.dead_letter, pg_temp.dispatched, pg_temp.policy',
    );
  },
);

test('I02 I03: prepared transactions keep their place in the key, over a claim, a settlement and a rollback', async () => {
  await using server = await startedServer();
  const [one, two] = [await openSession(server.url), await openSession(server.url)];
  const store = openStore(two);
  await migrate(store);
  const contracts = await registerContracts(
    store,
    [ParcelMoved, NoteTaken].map(({ type, newest, kind }) => ({ type, version: newest, kind })),
    'test',
  );
  const worker = createWorker(two, { contracts });
  await room.enqueue(one, 'k', 1);
  await one.begin();
  await room.enqueue(one, 'k', 2);
  await one.query(`prepare transaction 'second'`);
  const [run] = (await worker.claim()).runs;
  expect(await worker.settle(run!)).toMatchObject({ status: 'settled' });
  const third = room.enqueue(one, 'k', 3);
  await untilBlocked(two, one, third);
  await two.query(`commit prepared 'second'`);
  await third;
  await two.query('select waybill.sweep(100, 20)');
  expect(await worker.take()).toEqual(['k:2,3']);
  await one.begin();
  await room.enqueue(one, 'l', 1);
  await one.query(`prepare transaction 'undone'`);
  await two.query(`rollback prepared 'undone'`);
  await room.enqueue(one, 'l', 2);
  expect(await worker.take()).toEqual(['l:2']);
  // Nobody is told of them, and a dispatcher has to know that.
  const hints = listenForHints(store, { url: server.url }, () => undefined);
  await expect(hints).rejects.toMatchObject({ code: 'STO_NO_HINTS' });
  await Promise.all([one.close(), two.close()]);
});

async function startedServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = await startPostgres({ settings: { max_prepared_transactions: '4', fsync: 'off' } });
  return { url: server.url, [Symbol.asyncDispose]: () => server.stop() };
}

test('F049: connections close in good order after the server has ended one in the middle of a query', async () => {
  const database = connectPg({ url: room.url, applicationName: 'ended' });
  const endless = expect(database.query('select pg_sleep(600)')).rejects.toThrow(/terminat/);
  const end = (): Promise<readonly unknown[]> =>
    room.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ended' and query like 'select pg_sleep%' and state = 'active'`,
    );
  while ((await end()).length === 0);
  await endless;
  const lent = database.connection((connection) => connection.query('select 1'));
  await lent;
  await database.close();
  await expect(database.query('select 1')).rejects.toThrow();
});

/** A line to the test's server that may freeze: nothing comes through any more, not even the end of a connection. */
async function openLine(): Promise<AsyncDisposable & { readonly url: string; freeze(): void }> {
  const url = new URL(room.url);
  const there = { port: Number(url.port), host: url.hostname };
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const beyond = connect(there);
    sockets.push(
      client.on('error', () => beyond.destroy()),
      beyond.on('error', () => client.destroy()),
    );
    client.pipe(beyond).pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A server that listens on a port has an address of this kind.
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    freeze: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
  };
}

test('F049: connections to a server that is frozen end too, idle ones and the one with a query on its way', async () => {
  await using line = await openLine();
  const database = connectPg({ url: line.url, statementTimeoutMs: 500 });
  await Promise.all([database.query('select pg_sleep(0.1)'), database.query('select pg_sleep(0.1)')]);
  let stuck = Promise.resolve();
  await new Promise<void>((frozen) => {
    stuck = expect(
      database.connection((connection) => {
        line.freeze();
        frozen();
        return connection.query('select 1');
      }),
    ).rejects.toThrow('Query read timeout');
  });
  await database.close();
  await stuck;
});
