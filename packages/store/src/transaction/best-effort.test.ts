/** `transaction(pool, fn, { afterCommit })`: what may get lost, and must never lie. */
import { startTcpProxy } from '@waybill/testkit';
import pg from 'pg';
import { afterAll, afterEach, describe, expect, test } from 'vitest';

import { NoteTaken } from '../../test/messages.ts';
import { openRoom } from '../../test/room.ts';
import { enqueue, transaction } from '../drivers/pg.ts';

const room = await openRoom();
await room.query('create table business (id integer primary key deferrable initially deferred)');
const pool = new pg.Pool({ connectionString: room.url, max: 2 }).on('error', () => undefined);
afterEach(async () => {
  await room.clear();
  await room.query('delete from business');
});
afterAll(async () => {
  await pool.end();
  await room[Symbol.asyncDispose]();
});

const rows = async (): Promise<number> => (await room.query('select 1 from business')).length;
const insert = (client: pg.ClientBase) => client.query('insert into business values (1)');

describe('W03: publishing after the commit', () => {
  test('W03: a hook runs once the commit is visible to others, with the result, and leaves no record', async () => {
    const published: unknown[] = [];
    const outcome = await transaction(
      pool,
      async (client) => {
        await insert(client);
        return 'order 1';
      },
      { afterCommit: async (result) => published.push([result, await rows(), pool.idleCount]) },
    );
    expect(outcome).toEqual({ result: 'order 1', failures: [] });
    expect(published).toEqual([['order 1', 1, 1]]);
    expect(await room.query('select 1 from waybill.message')).toEqual([]);
  });

  test('W03: a rolled-back transaction publishes nothing', async () => {
    const published: unknown[] = [];
    const failed = transaction(
      pool,
      async (client) => {
        await insert(client);
        throw new Error('the work failed');
      },
      { afterCommit: () => published.push(1) },
    );
    await expect(failed).rejects.toThrow('the work failed');
    expect([published, await rows()]).toEqual([[], 0]);
  });

  test('W03: a transaction that COMMIT refuses, or turns into a rollback, publishes nothing', async () => {
    const published: unknown[] = [];
    const afterCommit = () => published.push(1);
    await room.query('insert into business values (1)');
    await expect(transaction(pool, insert, { afterCommit })).rejects.toMatchObject({ code: '23505' });
    const caught = (client: pg.ClientBase) => client.query('select 1 / 0').catch(() => 'caught');
    await expect(transaction(pool, caught, { afterCommit })).rejects.toMatchObject({ code: 'STO_ROLLED_BACK' });
    expect([published, await rows()]).toEqual([[], 1]);
  });

  test('W03: hooks that fail are reported beside the committed result, and hold up no other hook', async () => {
    const published: unknown[] = [];
    const outcome = await transaction(pool, insert, {
      afterCommit: [
        () => Promise.reject(new Error('the broker is away')),
        () => {
          throw new Error('a bug');
        },
        () => published.push(1),
      ],
    });
    expect(outcome.failures).toMatchObject([{ message: 'the broker is away' }, { message: 'a bug' }]);
    expect([published, await rows()]).toEqual([[1], 1]);
  });

  test("W03 W09: a client or a transaction of the caller's is refused", async () => {
    const client = await pool.connect();
    await client.query('begin');
    for (const thing of [client, new pg.Client(), null, undefined, {}])
      await expect(transaction(thing as never, insert)).rejects.toMatchObject({ code: 'STO_NOT_A_POOL' });
    await client.query('rollback');
    client.release();
    expect(await rows()).toBe(0);
  });

  test('W03: what must not get lost can be enqueued beside it, in the isolation asked for', async () => {
    const { result } = await transaction(
      pool,
      async (client) => {
        await enqueue(client, NoteTaken, { value: 1 });
        return (await client.query<{ level: string }>(`select current_setting('transaction_isolation') as level`)).rows;
      },
      { isolation: 'serializable' },
    );
    expect(result).toEqual([{ level: 'serializable' }]);
    expect(await room.query('select 1 from waybill.message')).toHaveLength(1);
  });
});

describe('F042: connections that break at any step', () => {
  test('F042 W03: where the answer to COMMIT is lost nobody claims to know, and nothing is published', async () => {
    const { proxy, broken, end } = await openLine();
    const published: unknown[] = [];
    const lost = transaction(
      broken,
      async (client) => {
        await insert(client);
        await proxy.become('cut-answer');
      },
      { afterCommit: () => published.push(1) },
    );
    await expect(lost).rejects.toMatchObject({ code: 'STO_COMMIT_UNKNOWN', cause: expect.any(Error) as Error });
    expect([published, await rows()], 'it was committed, but nobody has said so').toEqual([[], 1]);
    await end();
  });

  test.each([
    ['refused', 'down', 60_000],
    ['cut', 'cut-answer', 60_000],
    // Waited for in full, four times.
    ['left without an answer', 'hold-answer', 2_500],
  ] as const)('F042: the pool gives working connections whatever step was %s', async (_how, mode, queryTimeoutMs) => {
    const { proxy, broken, end } = await openLine(queryTimeoutMs);
    const works = async () => {
      await proxy.become('pass');
      expect((await broken.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
      expect(broken.waitingCount).toBe(0);
      expect(broken.idleCount).toBe(broken.totalCount);
    };
    const first = new Error('the first error');
    await works();
    await proxy.become(mode);
    await expect(transaction(broken, insert), 'BEGIN').rejects.toThrow();
    await works();
    const inside = transaction(broken, async (client) => {
      await proxy.become(mode);
      await client.query('select 1');
    });
    await expect(inside, 'inside').rejects.toThrow();
    await works();
    const atRollback = transaction(broken, async () => {
      await proxy.become(mode);
      throw first;
    });
    await expect(atRollback, 'ROLLBACK').rejects.toBe(first);
    await works();
    const atCommit = transaction(broken, () => proxy.become(mode));
    await expect(atCommit, 'COMMIT').rejects.toMatchObject({ code: 'STO_COMMIT_UNKNOWN' });
    await works();
    await end();
  });
});

/** A pool whose line to the server can be broken, and whose statements do not wait for an answer for ever. */
async function openLine(queryTimeoutMs = 60_000) {
  const url = new URL(room.url);
  const proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  const broken = new pg.Pool({
    connectionString: url.href,
    max: 3,
    query_timeout: queryTimeoutMs,
    connectionTimeoutMillis: 60_000,
  });
  broken.on('error', () => undefined);
  const end = async () => {
    await broken.end();
    await proxy.stop();
  };
  return { proxy, broken, end };
}
