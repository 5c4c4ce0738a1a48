import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';

import { openRoom } from '../../test/room.ts';
import { type Session, untilBlocked } from '../../test/session.ts';
import { leaveDispatcher, registerDispatcher } from './dispatcher-registry.ts';
import { enterBatch, enterPull, leaveDrain } from './drain-mode.ts';

const room = await openRoom();
const store = room.store(room.observer);
const [ONE, TWO] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
let other: Session;
beforeEach(async () => {
  other = await room.session();
  for (const id of [ONE, TWO]) await registerDispatcher(store, { id, build: 'test@1', contractIds: [] });
});
afterEach(async () => {
  await room.query('update waybill.drain_lease set owner = null, expires_at = null');
  await room.clear();
});
afterAll(() => room[Symbol.asyncDispose]());

const pull = (owner: string) => enterPull(room.observer, store, owner);
const batch = (owner: string) => enterBatch(room.observer, store, { owner, leaseMs: 60_000 });

describe('Q20: pull workers and the batch drainer', () => {
  test('Q20: any number of processes pull; nobody drains in batches meanwhile, and the reverse', async () => {
    expect([await pull(ONE), await pull(TWO)]).toEqual(['entered', 'entered']);
    expect(await batch(ONE), 'the other one still pulls').toBe('pull');
    await leaveDrain(room.observer, store, TWO);
    expect(await batch(ONE)).toBe('entered');
    expect(await batch(ONE), 'and keeps it').toBe('entered');
    expect([await batch(TWO), await pull(TWO)]).toEqual(['batch', 'batch']);
    expect(await pull(ONE), 'whoever has it may change').toBe('entered');
    expect(await pull(TWO)).toBe('entered');
  });

  test('Q20: a process that left, or fell silent for a lease, is in nobody’s way', async () => {
    await pull(ONE);
    await room.query(
      `update waybill.dispatcher set seen_at = clock_timestamp() - interval '1 hour' where id = $1::uuid`,
      [ONE],
    );
    expect(await batch(TWO)).toBe('entered');
    await room.query(`update waybill.drain_lease set expires_at = clock_timestamp() - interval '1 second'`);
    await room.query('update waybill.dispatcher set seen_at = clock_timestamp()');
    expect(await pull(ONE)).toBe('entered');
    await leaveDispatcher(store, ONE);
    expect(await batch(TWO)).toBe('entered');
  });

  test('Q20: of two that change at the same moment one wins', async () => {
    await other.begin();
    expect(await enterPull(other, store, ONE)).toBe('entered');
    const second = batch(TWO);
    await untilBlocked(other, room.observer, second);
    await other.commit();
    expect(await second).toBe('pull');
  });
});
