import pg from 'pg';
import postgres from 'postgres';
import { afterAll, afterEach, describe, expect, expectTypeOf, test } from 'vitest';

import { NoteTaken } from '../../test/messages.ts';
import { openRoom } from '../../test/room.ts';
import { entry } from '../enqueue/prepare.ts';
import * as onPg from './pg.ts';
import * as onPostgres from './postgres.ts';

const room = await openRoom();
afterEach(() => room.clear());
afterAll(() => room[Symbol.asyncDispose]());

const note = { value: 1 };
const refused = { code: 'STO_NOT_IN_TRANSACTION' };
const messages = async (): Promise<unknown> =>
  (await room.query('select count(*)::integer as n from waybill.message'))[0]?.['n'];

describe('W09: pg', () => {
  const pool = new pg.Pool({ connectionString: room.url, max: 2 }).on('error', () => undefined);
  afterAll(() => pool.end());

  test('W09: a pool is refused, at compile time too', async () => {
    expectTypeOf<pg.Pool>().not.toExtend<Parameters<typeof onPg.enqueue>[0]>();
    await expect(onPg.enqueue(pool as never, NoteTaken, note)).rejects.toMatchObject(refused);
    expectTypeOf<pg.PoolClient>().toExtend<Parameters<typeof onPg.enqueue>[0]>();
    expectTypeOf<pg.Client>().toExtend<Parameters<typeof onPg.enqueue>[0]>();
    expectTypeOf<postgres.TransactionSql>().not.toExtend<Parameters<typeof onPg.enqueue>[0]>();
  });

  test.each([
    ['an idle client', async () => undefined],
    ['a committed transaction', (client: pg.PoolClient) => client.query('begin; select 1; commit')],
    ['a rolled-back transaction', (client: pg.PoolClient) => client.query('begin; rollback')],
    [
      'a failed transaction',
      async (client: pg.PoolClient) => {
        await client.query('begin');
        await expect(client.query('select 1 / 0')).rejects.toThrow('division by zero');
      },
    ],
  ])('W09: %s is refused before anything is sent', async (_what, prepare) => {
    const client = await pool.connect();
    await prepare(client);
    await expect(onPg.enqueue(client, NoteTaken, note)).rejects.toMatchObject(refused);
    await expect(onPg.enqueueMany(client, [entry(NoteTaken, note)])).rejects.toMatchObject(refused);
    await client.query('rollback');
    client.release();
    expect(await messages()).toBe(0);
  });

  test('W09: a client that was given back is refused', async () => {
    const client = await pool.connect();
    client.release();
    await expect(onPg.enqueue(client, NoteTaken, note)).rejects.toMatchObject(refused);
  });

  test('W09: a client that never connected, and things that are no client, are refused', async () => {
    await expect(onPg.enqueue(new pg.Client(), NoteTaken, note)).rejects.toMatchObject(refused);
    for (const thing of [null, undefined, {}, 'begin']) {
      await expect(onPg.enqueue(thing as never, NoteTaken, note)).rejects.toMatchObject(refused);
    }
  });

  test.each(['commit', 'rollback'])(
    'W09 F096: an enqueue that is queued behind a %s is refused by the statement itself',
    async (end) => {
      const client = await pool.connect();
      await client.query('begin');
      const [, late] = await Promise.allSettled([client.query(end), onPg.enqueue(client, NoteTaken, note)]);
      expect(late).toMatchObject({ status: 'rejected', reason: refused });
      client.release();
      expect(await messages()).toBe(0);
    },
  );

  test('W09: a transaction whose connection dies takes the message with it', async () => {
    const client = await pool.connect();
    client.on('error', () => undefined);
    await client.query('begin');
    const pid = Number((await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid);
    await onPg.enqueue(client, NoteTaken, note);
    await room.query('select pg_terminate_backend($1::integer, 5000)', [pid]);
    await expect(onPg.enqueue(client, NoteTaken, note)).rejects.toThrow();
    client.release(true);
    expect(await messages()).toBe(0);
  });
});

describe('W09: postgres', () => {
  const sql = postgres(room.url, { max: 2, onnotice: () => undefined });
  afterAll(() => sql.end());

  test('W09: sql outside of begin is refused, at compile time too', async () => {
    // @ts-expect-error sql may run each statement elsewhere
    await expect(onPostgres.enqueue(sql, NoteTaken, note)).rejects.toMatchObject(refused);
    const reserved = await sql.reserve();
    // @ts-expect-error a reserved connection has no transaction of its own
    await expect(onPostgres.enqueue(reserved, NoteTaken, note)).rejects.toMatchObject(refused);
    reserved.release();
    expectTypeOf<pg.PoolClient>().not.toExtend<Parameters<typeof onPostgres.enqueue>[0]>();
    for (const thing of [null, undefined, {}, () => undefined]) {
      await expect(onPostgres.enqueue(thing as never, NoteTaken, note)).rejects.toMatchObject(refused);
    }
  });

  test.each([
    ['committed', false],
    ['rolled-back', true],
  ])('W09: the sql of a %s transaction is refused', async (_what, fail) => {
    let kept: postgres.TransactionSql | undefined;
    const done = sql.begin(async (tx) => {
      kept = tx;
      if (fail) throw new Error('rolled back');
    });
    await (fail ? expect(done).rejects.toThrow('rolled back') : done);
    await expect(onPostgres.enqueue(kept!, NoteTaken, note)).rejects.toMatchObject(refused);
    expect(await messages()).toBe(0);
  });

  test('W09: the sql of a transaction that has ended is refused inside the next one on its connection too', async () => {
    const one = postgres(room.url, { max: 1, onnotice: () => undefined });
    let kept: postgres.TransactionSql | undefined;
    await one.begin(async (tx) => {
      kept = tx;
      await onPostgres.enqueue(tx, NoteTaken, note);
    });
    await one
      .begin(async (tx) => {
        await tx`select 1`;
        await expect(onPostgres.enqueue(kept!, NoteTaken, note)).rejects.toMatchObject(refused);
      })
      .catch((error: unknown) => error);
    expect(await messages()).toBe(1);
    await one.end();
  });

  test('W09: a failed transaction is refused', async () => {
    const failed = sql.begin(async (tx) => {
      await expect(tx`select 1 / 0`).rejects.toThrow('division by zero');
      await expect(onPostgres.enqueue(tx, NoteTaken, note)).rejects.toMatchObject(refused);
    });
    await expect(failed).rejects.toThrow('division by zero');
    expect(await messages()).toBe(0);
  });
});
