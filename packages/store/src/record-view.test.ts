import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';

import { NOTE, openRoom, PARCEL } from '../test/room.ts';
import type { Session } from '../test/session.ts';
import {
  drainDispatcher,
  leaveDispatcher,
  registerDispatcher,
  seeDispatcher,
} from './statements/dispatcher-registry.ts';

const room = await openRoom();
const store = room.store(room.observer);
let writer: Session;
beforeEach(async () => {
  writer = await room.session();
});
afterEach(() => room.clear());
afterAll(() => room[Symbol.asyncDispose]());

async function stands(): Promise<readonly string[]> {
  const rows = await room.query(
    `select concat_ws(' ', payload->>'step', state, pending_reason) as stands from waybill.record order by enqueued_at, (payload->>'step')::integer`,
  );
  return rows.map((row) => String(row['stands']));
}

test('W29 V01: each record shows its state, and why it is pending', async () => {
  const id = randomUUID();
  await room.enqueue(writer, 'k', 1, 2, 3);
  expect(await stands()).toEqual(['1 pending no-reader', '2 pending no-reader', '3 pending no-reader']);
  await registerDispatcher(store, { id, build: 'test@1', contractIds: [room.contracts.get(PARCEL)!] });
  expect(await stands()).toEqual(['1 pending ready', '2 pending behind', '3 pending behind']);

  const worker = await room.worker();
  const [run] = (await worker.claim({ runLength: 2 })).runs;
  expect(await stands(), 'the lease on the head covers its run').toEqual([
    '1 processing',
    '2 processing',
    '3 pending behind',
  ]);
  await worker.settle(run!, 1, { then: 'keep' });
  expect(await stands()).toEqual(['1 dispatched', '2 processing', '3 pending behind']);
  await room.expireLeases();
  expect(await stands()).toEqual(['1 dispatched', '2 pending ready', '3 pending behind']);

  const [again] = (await worker.claim()).runs;
  await worker.settle(again!, 0, { then: 'retry', delayMs: 3_600_000, error: 'later' });
  expect(await stands()).toEqual(['1 dispatched', '2 pending timed', '3 pending behind']);
  await room.query('update waybill.delivery set due_at = clock_timestamp() where due_at is not null');
  const [last] = (await worker.claim()).runs;
  await worker.settle(last!, 0, {
    then: 'dead-letter',
    position: last!.head,
    reason: 'attempts-exhausted',
    error: 'gave up',
  });
  expect(await stands()).toEqual(['1 dispatched', '2 dead-letter', '3 pending ready']);
});

test('V02 V01: only a live dispatcher is a reader: not one that drains, left, or went silent', async () => {
  const id = randomUUID();
  await room.enqueue(writer, 'k', 1);
  const enter = async (contract: string): Promise<void> => {
    await room.query('truncate waybill.dispatcher');
    await registerDispatcher(store, {
      id,
      build: 'test@1',
      contractIds: [room.contracts.get(contract as typeof PARCEL)!],
    });
  };
  await enter(NOTE);
  expect(await stands()).toEqual(['1 pending no-reader']);
  for (const end of [drainDispatcher, leaveDispatcher]) {
    await enter(PARCEL);
    expect(await stands()).toEqual(['1 pending ready']);
    await end(store, id);
    expect(await stands()).toEqual(['1 pending no-reader']);
  }
  await enter(PARCEL);
  await room.query(`update waybill.dispatcher set seen_at = clock_timestamp() - interval '1 minute'`);
  expect(await stands()).toEqual(['1 pending no-reader']);
  expect(await seeDispatcher(store, { id })).toEqual({ registered: true, drainAsked: false, silent: [] });
  expect(await stands()).toEqual(['1 pending ready']);
});

test('V02 W15: a heartbeat tells which other dispatchers went silent without signing off', async () => {
  const [me, silent, left] = [randomUUID(), randomUUID(), randomUUID()];
  for (const id of [me, silent, left]) await registerDispatcher(store, { id, build: 'test@1', contractIds: [] });
  await leaveDispatcher(store, left);
  await room.query(`update waybill.dispatcher set seen_at = clock_timestamp() - interval '1 minute'`);
  expect(await seeDispatcher(store, { id: me })).toEqual({ registered: true, drainAsked: false, silent: [silent] });
  expect(await seeDispatcher(store, { id: randomUUID() })).toEqual({
    registered: false,
    drainAsked: false,
    silent: [silent],
  });
});
