import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';

import { ParcelMoved } from '../../test/messages.ts';
import { openRoom } from '../../test/room.ts';
import { enqueue, enqueueMany } from '../drivers/pg.ts';
import { type Hints, listenForHints } from '../drivers/pg-hints.ts';
import { registerDispatcher, wantHints } from '../statements/dispatcher-registry.ts';
import { entry } from './prepare.ts';

const room = await openRoom();
const store = room.store(room.observer);
const DISPATCHER = '00000000-0000-4000-8000-000000000001';
let hints: Hints;
let heard = 0;
beforeEach(async () => {
  heard = 0;
  hints = await listenForHints(store, { url: room.url }, () => {
    heard += 1;
  });
  await registerDispatcher(store, { id: DISPATCHER, build: 'test@1', contractIds: [...room.contracts.values()] });
});
afterEach(async () => {
  await hints.close();
  await room.clear();
});
afterAll(() => room[Symbol.asyncDispose]());

const wanted = (yes: boolean) => wantHints(store, { id: DISPATCHER, wanted: yes });
/** Hints come in the order of their commits: what has not come before this one will not come. */
async function heardSoFar(): Promise<number> {
  const before = heard;
  await room.query('select waybill.give_hint()');
  await expect.poll(() => heard).toBeGreaterThan(before);
  const count = heard - 1;
  heard = count;
  return count;
}

test('F061: a message that can be claimed gives a hint at its commit, one for each transaction', async () => {
  await wanted(true);
  const session = await room.session();
  await session.begin();
  for (const id of ['a', 'b', 'c']) await enqueue(session.native, ParcelMoved, { id, step: 1 });
  expect(await heardSoFar(), 'before the commit').toBe(0);
  await session.commit();
  await expect.poll(() => heard).toBe(1);
  await session.begin();
  await enqueueMany(
    session.native,
    ['d', 'e'].map((id) => entry(ParcelMoved, { id, step: 1 })),
  );
  await session.commit();
  await expect.poll(() => heard).toBe(2);
});

test('F061: one that waits behind another of its key, or for its time, gives none', async () => {
  await room.enqueue(await room.session(), 'a', 1);
  await wanted(true);
  await room.enqueue(await room.session(), 'a', 2);
  const session = await room.session();
  await session.begin();
  await enqueue(session.native, ParcelMoved, { id: 'b', step: 1 }, { dueAt: new Date(Date.now() + 3_600_000) });
  await session.commit();
  expect(await heardSoFar()).toBe(0);
});

test('F072: nobody is told where no live dispatcher wants to be', async () => {
  await room.enqueue(await room.session(), 'a', 1);
  await wanted(true);
  await wanted(false);
  await room.enqueue(await room.session(), 'b', 1);
  await wanted(true);
  await room.query('update waybill.dispatcher set left_at = clock_timestamp()');
  await room.enqueue(await room.session(), 'c', 1);
  expect(await heardSoFar()).toBe(0);
});

test('F071: the hint is short and the same, whatever the key and the payload', async () => {
  await wanted(true);
  await room.enqueue(await room.session(), 'k'.repeat(500), 1);
  await expect.poll(() => heard).toBe(1);
});
