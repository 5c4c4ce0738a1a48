import { afterAll, afterEach, expect, test } from 'vitest';

import { drain } from '../../test/dead.ts';
import { openRoom } from '../../test/room.ts';
import { sweep } from '../statements/sweep.ts';
import { auditWaiting } from './audit-waiting.ts';

const room = await openRoom();
const store = room.store(room.observer);
afterEach(() => room.clear());
afterAll(() => room[Symbol.asyncDispose]());

test('I06: a healthy store has nothing to report', async () => {
  await room.enqueue(room.observer, 'a', 1, 2);
  expect(await auditWaiting(store)).toEqual({ waiting: 0, orphaned: 0, healed: 0, sample: [] });
});

test('I06: a row that waits behind nobody is found, healed and reported', async () => {
  await room.enqueue(room.observer, 'a', 1, 2);
  await room.enqueue(room.observer, 'b', 1);
  await room.query(`update waybill.delivery set ready_xid = null`);
  expect(await auditWaiting(store)).toMatchObject({
    waiting: 2,
    healed: 2,
    sample: [expect.any(String), expect.any(String)],
  });
  expect(await auditWaiting(store)).toMatchObject({ waiting: 0, healed: 0 });
  const worker = await room.worker();
  expect(await drain(worker)).toEqual(['a:1', 'a:2', 'b:1']);
});

test('I06: a key that nobody answers for is let go', async () => {
  await room.enqueue(room.observer, 'a', 1, 2);
  await room.query(
    `update waybill.delivery set settled = true, ready_xid = null, due_at = 'infinity' where position = (select min(position) from waybill.delivery)`,
  );
  expect(await auditWaiting(store)).toMatchObject({ orphaned: 1, healed: 1 });
  await sweep(room.observer, store, { most: 10, retryMs: 0 });
  expect(await drain(await room.worker())).toEqual(['a:2']);
});
