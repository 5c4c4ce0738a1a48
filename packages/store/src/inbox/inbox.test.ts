import { testDatabase } from '@waybill/local-postgres/vitest';
import { afterAll, afterEach, describe, expect, test } from 'vitest';

import { DRIVERS } from '../../test/drivers.ts';
import { openRoom } from '../../test/room.ts';
import { openSession, untilBlocked } from '../../test/session.ts';
import { inbox } from '../drivers/pg.ts';
import { migrate } from '../migrate.ts';
import { purge } from '../operators/purge.ts';
import { openStore } from '../store.ts';
import { inboxSql, installInbox } from './install.ts';
import { purgeInbox } from './purge-inbox.ts';

const room = await openRoom();
const drivers = DRIVERS.map(({ driver, connect }) => ({ driver, on: connect(room.url) }));
afterEach(async () => {
  await room.clear();
  await room.query('truncate waybill.inbox');
});
afterAll(async () => {
  await Promise.all(drivers.map(({ on }) => on.close()));
  await room[Symbol.asyncDispose]();
});

describe.each(drivers)('W17: $driver', ({ on }) => {
  test('W17: a message is a first once, for each consumer, and a repeat from then on', async () => {
    const enter = (consumer: string, id: string) => on.transaction((unit) => unit.inbox(consumer, id));
    expect(await enter('billing', 'm1')).toBe('first');
    expect(await enter('billing', 'm1')).toBe('repeat');
    expect(await enter('billing', 'm2')).toBe('first');
    expect(await enter('shipping', 'm1')).toBe('first');
    expect(await enter('billing', "Order/17 'ü'")).toBe('first');
    expect(await enter('billing', "Order/17 'ü'")).toBe('repeat');
  });

  test('W17: what is rolled back, whole or to a savepoint, was never seen', async () => {
    const failed = on.transaction(async (unit) => {
      expect(await unit.inbox('billing', 'm1')).toBe('first');
      throw new Error('the work failed');
    });
    await expect(failed).rejects.toThrow('the work failed');
    await on.transaction(async (unit) => {
      const inner = unit.savepoint(async (nested) => {
        expect(await nested.inbox('billing', 'm1')).toBe('first');
        throw new Error('part of the work failed');
      });
      await expect(inner).rejects.toThrow('part of the work failed');
      expect(await unit.inbox('billing', 'm1')).toBe('first');
      expect(await unit.inbox('billing', 'm1')).toBe('repeat');
    });
  });

  test('W17: names that the table cannot keep are refused, and the transaction goes on', async () => {
    await on.transaction(async (unit) => {
      const refused = { code: 'STO_INVALID_OPTION' };
      for (const name of ['', 'ü'.repeat(128), 'a\0b', '\ud800']) {
        await expect(unit.inbox(name, 'm1')).rejects.toMatchObject(refused);
        await expect(unit.inbox('billing', name)).rejects.toMatchObject(refused);
      }
      expect(await unit.inbox('c'.repeat(255), 'm'.repeat(255))).toBe('first');
    });
  });
});

describe.each(['read committed', 'repeatable read', 'serializable'])('W17: in %s', (isolation) => {
  test.each([
    ['commit', 'repeat'],
    ['rollback', 'first'],
  ] as const)('W17: a redelivery waits for the first delivery; after its %s it is a %s', async (end, answer) => {
    const [one, two] = [await room.session(), await room.session()];
    await one.begin(isolation);
    expect(await inbox(one.native, 'billing', 'm1')).toBe('first');
    await two.begin(isolation);
    await two.query('select count(*) from waybill.inbox');
    const waiting = inbox(two.native, 'billing', 'm1');
    await untilBlocked(room.observer, two, waiting);
    await one[end]();
    expect(await waiting).toBe(answer);
    expect(await two.query('select 1 as alive'), 'the transaction goes on').toEqual([{ alive: 1 }]);
    await two.commit();
    expect(await room.query('select consumer, message_id from waybill.inbox')).toEqual([
      { consumer: 'billing', message_id: 'm1' },
    ]);
  });
});

describe('W17 W09: where there is no transaction', () => {
  test('W09: a client outside of a transaction is refused', async () => {
    const session = await room.session();
    await expect(inbox(session.native, 'billing', 'm1')).rejects.toMatchObject({ code: 'STO_NOT_IN_TRANSACTION' });
  });

  test('W09 F096: an entry that is queued behind a commit is refused by the statement itself', async () => {
    const session = await room.session();
    await session.begin();
    const [, late] = await Promise.allSettled([session.commit(), inbox(session.native, 'billing', 'm1')]);
    expect(late).toMatchObject({ status: 'rejected', reason: { code: 'STO_NOT_IN_TRANSACTION' } });
    expect(await room.query('select 1 from waybill.inbox')).toEqual([]);
  });
});

describe('W17: in a database without an outbox', () => {
  test('W17: the inbox installs alone, also from many processes at once, and an outbox may come later', async () => {
    await using database = await testDatabase({ empty: true });
    const sessions = await Promise.all([1, 2, 3].map(() => openSession(database.url)));
    const [session] = sessions as [(typeof sessions)[number], ...typeof sessions];
    const schema = 'Consumer "ü"';
    const store = openStore(session, { schema });
    await Promise.all(sessions.map((each) => installInbox(openStore(each, { schema }))));
    await session.begin();
    expect(await inbox(session.native, 'billing', 'm1', { schema })).toBe('first');
    await session.commit();
    expect(
      await session.query(
        `select relname from pg_class where relkind = 'r' and relnamespace = '"Consumer ""ü"""'::regnamespace`,
      ),
    ).toEqual([{ relname: 'inbox' }]);
    await migrate(store);
    await session.query(inboxSql(schema));
    await session.begin();
    expect(await inbox(session.native, 'billing', 'm1', { schema })).toBe('repeat');
    await session.commit();
    await Promise.all(sessions.map((each) => each.close()));
  });
});

describe('S05: retention', () => {
  const DAY_MS = 86_400_000;
  const entries = async () =>
    (await room.query('select message_id from waybill.inbox order by 1')).map((row) => row['message_id']);
  const fill = () =>
    room.query(
      `insert into waybill.inbox (consumer, message_id, seen_at)
       select 'billing', 'm' || n, clock_timestamp() - n * interval '1 day' from generate_series(0, 6) n`,
    );

  test('S05 W17: old entries go in small batches, younger ones stay', async () => {
    await fill();
    expect(await purgeInbox(room.store(room.observer), { olderThanMs: 2.5 * DAY_MS, batch: 2 })).toBe(4);
    expect(await entries()).toEqual(['m0', 'm1', 'm2']);
    expect(await purge(room.store(room.observer), { dispatchedOlderThanMs: DAY_MS })).toMatchObject({ inbox: 0 });
    expect(
      await purge(room.store(room.observer), { dispatchedOlderThanMs: DAY_MS, inbox: { olderThanMs: DAY_MS } }),
    ).toEqual({ dispatched: 0, dead: 0, inbox: 2 });
    expect(await entries()).toEqual(['m0']);
  });

  test('S05: it can be stopped, and senseless limits are refused', async () => {
    await fill();
    const store = room.store(room.observer);
    expect(await purgeInbox(store, { olderThanMs: 1, signal: AbortSignal.abort() })).toBe(0);
    for (const wrong of [{ olderThanMs: 0 }, { olderThanMs: 1, batch: 0 }, { olderThanMs: Number.NaN }])
      await expect(purgeInbox(store, wrong)).rejects.toMatchObject({ code: 'STO_INVALID_OPTION' });
  });
});
