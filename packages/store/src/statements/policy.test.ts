import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';

import { openRoom } from '../../test/room.ts';
import type { Session } from '../../test/session.ts';
import { keepPolicy } from './policy.ts';

const room = await openRoom();
const store = room.store(room.observer);
let writer: Session;
beforeEach(async () => {
  writer = await room.session();
});
afterEach(() => room.clear());
afterAll(() => room[Symbol.asyncDispose]());

const OLD = { maxAttempts: 3, baseMs: 10, factor: 2, capMs: 100 };
const NEW = { ...OLD, maxAttempts: 9 };

test('W19: a policy is kept once, from however many processes, and never changes', async () => {
  const sessions = await Promise.all([1, 2, 3].map(() => room.session()));
  const kept = await Promise.all(sessions.map((session) => keepPolicy(room.store(session), OLD)));
  expect(new Set(kept.map(({ id }) => id)).size).toBe(1);
  expect(kept[0]).toMatchObject(OLD);
  await expect(room.query('update waybill.policy set cap_ms = 1')).rejects.toMatchObject({ code: 'WB012' });
});

test('W19 Q15: a record goes on under the policy of its first failure, also for a process that is configured otherwise', async () => {
  const [first, second] = [await keepPolicy(store, OLD), await keepPolicy(store, NEW)];
  await room.enqueue(writer, 'k', 1);
  const worker = await room.worker();
  const [fresh] = (await worker.claim()).runs;
  expect(fresh?.records[0]?.policy).toBeNull();
  await worker.settle(fresh!, 0, { then: 'retry', delayMs: 0, error: 'no', policyId: first.id });
  const [again] = (await worker.claim()).runs;
  expect(again?.records[0]?.policy).toEqual(first);
  await worker.settle(again!, 0, { then: 'retry', delayMs: 0, error: 'no', policyId: second.id });
  expect((await worker.claim()).runs[0]?.records[0]?.policy).toEqual(first);
});
