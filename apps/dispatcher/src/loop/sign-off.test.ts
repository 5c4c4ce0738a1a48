import { randomUUID } from 'node:crypto';
import { openStore, registerDispatcher } from '@waybill/store';
import { pgDatabase } from '@waybill/store/pg';
import { expect, test } from 'vitest';
import { Outbox } from '../../test/loop.ts';
import { signOff } from './sign-off.ts';

test.each([
  [1, true],
  [2, false],
])('F007: with %d tries that fail, a session that is over signs off: %s', async (lost, left) => {
  const outbox = await Outbox.forTest();
  const database = pgDatabase(outbox.pool);
  const store = openStore(database);
  const owner = randomUUID();
  await registerDispatcher(store, { id: owner, build: 'parcels@1', contractIds: [] });
  let tries = 0;
  const leaving = signOff(store, owner, {
    query: (text, values) => {
      tries += 1;
      return tries <= lost ? Promise.reject(new Error('Connection terminated')) : database.query(text, values);
    },
  });
  await (left ? leaving : expect(leaving).rejects.toThrow('terminated'));
  expect(await outbox.query('select left_at is not null as gone from waybill.dispatcher')).toEqual([{ gone: left }]);
});
