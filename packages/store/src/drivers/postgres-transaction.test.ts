import postgres from 'postgres';
import { afterAll, afterEach, describe, expect, test } from 'vitest';

import { NoteTaken } from '../../test/messages.ts';
import { openRoom } from '../../test/room.ts';
import { enqueue, transaction } from './postgres.ts';

const room = await openRoom();
await room.query('create table business (id integer primary key deferrable initially deferred)');
const sql = postgres(room.url, { max: 1, onnotice: () => undefined, backoff: () => 0 });
afterEach(async () => {
  await room.clear();
  await room.query('delete from business');
});
afterAll(async () => {
  await sql.end({ timeout: 0 });
  await room[Symbol.asyncDispose]();
});

const count = async (table: string): Promise<number> => (await room.query(`select 1 from ${table}`)).length;
const published: unknown[] = [];
const afterCommit = (result: unknown) => published.push(result);
afterEach(() => {
  published.length = 0;
});

describe('W03: publishing after the commit, with postgres', () => {
  test('W03: hooks run after COMMIT with the result, and their failures are values', async () => {
    const outcome = await transaction(
      sql,
      async (tx) => {
        await tx`insert into business values (1)`;
        return 'order 1';
      },
      { afterCommit: [() => Promise.reject(new Error('the broker is away')), afterCommit] },
    );
    expect(outcome).toMatchObject({ result: 'order 1', failures: [{ message: 'the broker is away' }] });
    expect([published, await count('business')]).toEqual([['order 1'], 1]);
  });

  test('W03: nothing is published where the work, a statement of it, or COMMIT fails', async () => {
    await room.query('insert into business values (1)');
    const failing: Readonly<Record<string, (tx: postgres.TransactionSql) => Promise<unknown>>> = {
      'the work failed': () => Promise.reject(new Error('the work failed')),
      'division by zero': (tx) => tx`select 1 / 0`.catch(() => 'caught'),
      'duplicate key': (tx) => tx`insert into business values (1)`,
    };
    for (const [message, fn] of Object.entries(failing)) {
      await expect(transaction(sql, fn, { afterCommit })).rejects.toThrow(message);
    }
    expect([published, await count('business')]).toEqual([[], 1]);
  });

  test('W03: a connection that is lost at COMMIT is an outcome that nobody knows', async () => {
    await room.query(`
      create function die() returns trigger language plpgsql as $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
      create constraint trigger die after insert on business deferrable initially deferred for each row execute function die()`);
    const doomed = postgres(room.url, { max: 1, onnotice: () => undefined });
    const lost = transaction(doomed, (tx) => tx`insert into business values (2)`, { afterCommit });
    await expect(lost).rejects.toMatchObject({ code: 'STO_COMMIT_UNKNOWN', cause: expect.any(Error) as Error });
    expect(published).toEqual([]);
    await doomed.end({ timeout: 0 });
    await room.query('drop trigger die on business; drop function die');
  });

  test("W03: a transaction of the caller's is refused", async () => {
    const reserved = await sql.reserve();
    for (const thing of [reserved, null, undefined, {}, () => undefined])
      await expect(transaction(thing as never, () => Promise.resolve(1))).rejects.toMatchObject({
        code: 'STO_NOT_A_POOL',
      });
    reserved.release();
    await sql.begin(async (tx) => {
      await expect(transaction(tx as never, () => Promise.resolve(1))).rejects.toMatchObject({
        code: 'STO_NOT_A_POOL',
      });
    });
  });
});

test('W09: what is kept of a transaction is refused inside the next one on its connection, though never used before', async () => {
  const kept: postgres.TransactionSql[] = [];
  await transaction(sql, (tx) => Promise.resolve(kept.push(tx)));
  await sql
    .begin(async (tx) => {
      await tx`select 1`;
      const late = enqueue(kept[0]!, NoteTaken, { value: 1 });
      await expect(late).rejects.toMatchObject({ code: 'STO_NOT_IN_TRANSACTION' });
    })
    .catch((error: unknown) => error);
  expect([kept.length, await count('waybill.message')]).toEqual([1, 0]);
});

test('W04: enqueue works on it in each isolation level', async () => {
  for (const isolation of ['read committed', 'repeatable read', 'serializable'] as const) {
    const { result } = await transaction(
      sql,
      async (tx) => {
        await enqueue(tx, NoteTaken, { value: isolation });
        return (await tx<{ level: string }[]>`select current_setting('transaction_isolation') as level`)[0]?.level;
      },
      { isolation },
    );
    expect(result).toBe(isolation);
  }
  expect(await count('waybill.message')).toBe(3);
});
