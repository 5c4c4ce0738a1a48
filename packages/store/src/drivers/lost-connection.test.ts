import postgres from 'postgres';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';

import { NoteTaken } from '../../test/messages.ts';
import { openRoom } from '../../test/room.ts';
import { signal } from '../../test/signal.ts';
import { enqueue, enqueueMany } from './postgres.ts';

const room = await openRoom();
await room.query('create table business (id integer)');
afterEach(() => room.clear());
afterAll(() => room[Symbol.asyncDispose]());

const ROUNDS = 6;

/** Ends the connection of a transaction from outside, and resolves when its backend is gone. */
const KILLS: Readonly<Record<string, (tx: postgres.TransactionSql, pid: number) => Promise<void>>> = {
  pg_terminate_backend: async (_tx, pid) => {
    await room.query('select pg_terminate_backend($1::integer, 10000)', [pid]);
  },
  idle_in_transaction_session_timeout: async (tx, pid) => {
    await tx`set local idle_in_transaction_session_timeout = '20ms'`;
    for (;;) {
      const alive = await room.query('select 1 from pg_stat_activity where pid = $1::integer', [pid]);
      if (alive.length === 0) return;
    }
  },
};

/** Time enough for what is still under way to do its harm. The driver may lose queued queries, so nobody can wait for those alone. */
async function manyRoundTrips(): Promise<void> {
  for (let n = 0; n < 100; n += 1) await room.query('select 1');
}

// The driver writes to the socket in a callback of its own; when the socket is gone by then, its TypeError reaches nobody but the process.
const uncaught: Error[] = [];
const others = process.listeners('uncaughtException');
const remember = (error: Error): void => void uncaught.push(error);
beforeEach(() => {
  process.removeAllListeners('uncaughtException').on('uncaughtException', remember);
});
afterEach(() => {
  process.off('uncaughtException', remember);
  for (const listener of others) process.on('uncaughtException', listener);
  expect(
    uncaught.filter((error) => !(error instanceof TypeError && String(error.stack).includes('/postgres/'))),
  ).toEqual([]);
});

describe.each([1, 3])('F005 W04: postgres with %i connections', (max) => {
  test.each(Object.keys(KILLS))(
    'F005 W04: no message without its business row when %s ends the connection amid other work',
    async (kill) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const sql = postgres(room.url, { max, onnotice: () => undefined, backoff: () => 0, fetch_types: false });
        const queued: Promise<unknown>[] = [];
        const transaction = sql.begin(async (tx) => {
          const [row] = await tx<
            { pid: number }[]
          >`insert into business values (${round}) returning pg_backend_pid() as pid`;
          if (round % 2 === 1) await enqueue(tx, NoteTaken, { value: 'first' });
          for (let n = 0; n < 20; n += 1) queued.push(sql`select ${n}::integer, pg_sleep(0.001)`);
          await KILLS[kill]?.(tx, row?.pid ?? 0);
          const late = [
            enqueue(tx, NoteTaken, { value: 'late' }),
            enqueueMany(tx, [{ message: NoteTaken, payload: { value: 1 } }]),
          ];
          await Promise.all(late);
        });
        await expect(transaction, 'begin settles').rejects.toThrow();
        await Promise.race([Promise.allSettled(queued), manyRoundTrips()]);
        await sql.end({ timeout: 0 });
      }
      const [row] = await room.query(
        'select (select count(*) from business)::integer as business, (select count(*) from waybill.message)::integer as messages',
      );
      expect(row).toEqual({ business: 0, messages: 0 });
    },
  );
});

test('F005: an enqueue that comes late into another transaction of its connection is refused when it is not the first', async () => {
  const sql = postgres(room.url, { max: 1, onnotice: () => undefined, backoff: () => 0, fetch_types: false });
  const killed = signal();
  const reopened = signal();
  const refused = signal<unknown>();
  const transaction = sql.begin(async (tx) => {
    const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
    await enqueue(tx, NoteTaken, { value: 'of the lost transaction' });
    await room.query('select pg_terminate_backend($1::integer, 10000)', [row?.pid ?? 0]);
    killed.resolve(undefined);
    await reopened.promise;
    const answer: unknown = await enqueue(tx, NoteTaken, { value: 'late' }).catch((error: unknown) => error);
    refused.resolve(answer);
  });
  const lost = expect(transaction).rejects.toThrow();
  await killed.promise;
  await lost;
  await sql
    .begin(async (tx) => {
      await tx`insert into business values (1)`;
      reopened.resolve(undefined);
      expect(await refused.promise).toMatchObject({ code: 'STO_NOT_IN_TRANSACTION' });
    })
    .catch(() => undefined);
  expect(await room.query('select count(*)::integer as n from waybill.message')).toEqual([{ n: 0 }]);
  await sql.end({ timeout: 0 });
});
