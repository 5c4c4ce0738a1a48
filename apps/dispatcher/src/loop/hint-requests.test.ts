import { randomUUID } from 'node:crypto';
import { openStore, registerDispatcher } from '@waybill/store';
import { pgDatabase } from '@waybill/store/pg';
import { expect, test } from 'vitest';
import { Outbox } from '../../test/loop.ts';
import { HintRequests } from './hint-requests.ts';

test('F072: a wish that could not be told is told again after the next claim', async () => {
  const outbox = await Outbox.forTest();
  const database = pgDatabase(outbox.pool);
  const store = openStore(database);
  const session = { owner: randomUUID(), wantsHints: false };
  await registerDispatcher(store, { id: session.owner, build: 'parcels@1', contractIds: [] });
  const told: Promise<unknown>[] = [];
  let isDown = true;
  const requests = new HintRequests({
    store,
    executor: {
      query: (text, values) => (isDown ? Promise.reject(new Error('down')) : database.query(text, values)),
    },
    sessions: { current: session },
    tell: (_operation, telling) => told.push(telling.catch((error: unknown) => error)),
  });
  requests.hears(true);
  expect(await told[0]).toMatchObject({ message: 'down' });
  expect(requests.arrive).toBe(false);
  isDown = false;
  requests.claimed(0, 1_000);
  await told[1];
  expect(await outbox.query('select wants_hints from waybill.dispatcher')).toEqual([{ wants_hints: true }]);
  requests.claimed(0, 2_000);
  expect(requests.arrive).toBe(true);
  expect(told).toHaveLength(2);
});
