import { afterAll, afterEach, expect, test } from 'vitest';

import { drain } from '../../test/dead.ts';
import { NEW, OLD, TYPE, VERSIONS } from '../../test/releases.ts';
import { openRoom } from '../../test/room.ts';
import { registerContracts } from '../contracts.ts';
import { registerDispatcher } from '../statements/dispatcher-registry.ts';
import { gateRetire, gateRollback } from './gates.ts';

const room = await openRoom();
const store = room.store(room.observer);
const ids = await registerContracts(store, VERSIONS, 'test');
afterEach(() => room.clear());
afterAll(() => room[Symbol.asyncDispose]());

const waiting = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) await room.enqueue(room.observer, `waiting ${String(n)}`, 1);
};

test('V04: a gate says when what is in its way will be gone, at the pace of the last minute', async () => {
  await registerDispatcher(store, { id: crypto.randomUUID(), build: NEW.build, contractIds: [...ids.values()] });
  await room.enqueue(room.observer, 'delivered', ...Array.from({ length: 30 }, (_, n) => n));
  await drain(await room.worker());
  await waiting(4);
  const { forecast } = await gateRollback(store, OLD);
  expect(forecast).toEqual([{ type: TYPE, version: 2, pending: 4, perSecond: 0.5, drainedInSeconds: 8 }]);
  expect((await gateRetire(store, { type: TYPE, version: 2 })).forecast).toEqual(forecast);
});

test('V04: nothing is foretold where nothing was delivered lately', async () => {
  await room.enqueue(room.observer, 'delivered', 1, 2);
  await drain(await room.worker());
  await room.query(`update waybill.dispatched set dispatched_at = clock_timestamp() - interval '61 seconds'`);
  await waiting(2);
  expect((await gateRollback(store, OLD)).forecast).toMatchObject([
    { pending: 2, perSecond: 0, drainedInSeconds: null },
  ]);
});

test('V04: a pace above what is looked at is told by the time that those took', async () => {
  await room.enqueue(room.observer, 'delivered', 1);
  await drain(await room.worker());
  await room.query(
    `insert into waybill.dispatched (seq, position, dispatched_by, attempt, contract_id, dispatched_at)
     select d.seq + n, d.position + n, d.dispatched_by, 1, d.contract_id, clock_timestamp() - n * interval '1 millisecond'
     from waybill.dispatched d, generate_series(1, 10000) n`,
  );
  await waiting(1);
  const [one] = (await gateRollback(store, OLD)).forecast;
  // The newest by number are the oldest by time here: ten seconds back, and 5,000 of them.
  expect(one?.perSecond).toBeGreaterThan(400);
  expect(one?.perSecond).toBeLessThan(510);
});
