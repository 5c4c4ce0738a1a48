/** A lease that ran out is not yet a crash. What is one, and what becomes of the record that was in hand. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';

import { openRoom, PARCEL } from '../../test/room.ts';
import type { Session } from '../../test/session.ts';
import type { Worker } from '../../test/worker.ts';
import { leaveDispatcher, registerDispatcher, seeDispatcher } from './dispatcher-registry.ts';

const room = await openRoom();
const store = room.store(room.observer);
let writer: Session;
beforeEach(async () => {
  writer = await room.session();
});
afterEach(async () => {
  const stranded = await room.stranded();
  await room.clear();
  expect(stranded, 'waiting rows that nobody will wake').toBe(0);
});
afterAll(() => room[Symbol.asyncDispose]());

const enter = (id: string): Promise<void> =>
  registerDispatcher(store, { id, build: 'test@1', contractIds: [room.contracts.get(PARCEL)!] });

async function dispatcher(): Promise<Worker> {
  const worker = await room.worker({ leaseMs: 30_000 });
  await enter(worker.owner);
  return worker;
}

/** Time goes by for everything that is in the tables. */
const later = (seconds: number): Promise<unknown> =>
  room.query(
    `with a as (update waybill.delivery set lease_expires_at = lease_expires_at - make_interval(secs => $1::integer) where lease_owner is not null)
     update waybill.dispatcher set seen_at = seen_at - make_interval(secs => $1::integer), started_at = started_at - make_interval(secs => $1::integer),
       steady_since = steady_since - make_interval(secs => $1::integer)`,
    [seconds],
  );
/** The process beats all the time meanwhile. */
const lives = (id: string): Promise<unknown> =>
  room.query('update waybill.dispatcher set seen_at = clock_timestamp() where id = $1::uuid', [id]);
const crashes = async (key: string): Promise<readonly number[]> =>
  (
    await room.query('select crashes from waybill.delivery where record_key = $1 and not settled order by position', [
      `Parcel/${key}`,
    ])
  ).map((row) => Number(row['crashes']));
const suspectsOf = async (worker: Worker): Promise<readonly (readonly [string, number])[]> =>
  (await worker.claimer.claimSuspect()).map((run) => [run.recordKey, run.records[0]?.crashes ?? -1] as const);

describe('a crash', () => {
  test('F006 finding D: a record in hand of a dead dispatcher is a suspect; what lay beside it is not', async () => {
    const [dead, witness] = [await dispatcher(), await dispatcher()];
    await room.enqueue(writer, 'bad', 1, 2);
    await room.enqueue(writer, 'innocent', 1);
    const { runs } = await dead.claim();
    await seeDispatcher(store, { id: dead.owner, inHand: [runs[0]!.head] });
    await later(40);
    await lives(witness.owner);
    expect(await witness.take()).toEqual(['innocent:1']);
    expect(await crashes('bad')).toEqual([1, 0]);
    witness.claimer.forget();
    expect(await witness.claim(), 'an ordinary claim leaves it alone').toMatchObject({ runs: [], suspects: true });
    expect(await suspectsOf(witness)).toEqual([['Parcel/bad', 1]]);
    expect(await suspectsOf(witness), 'nobody gets it twice').toEqual([]);
  });

  test('F006 finding D: in the midst of a run, the records before the suspect go on, and it waits for its turn', async () => {
    const [dead, witness] = [await dispatcher(), await dispatcher()];
    await room.enqueue(writer, 'k', 1, 2, 3);
    const [run] = (await dead.claim()).runs;
    await seeDispatcher(store, { id: dead.owner, inHand: [run!.records[1]!.position] });
    await later(40);
    await lives(witness.owner);
    const [taken] = (await witness.claim()).runs;
    expect(taken?.records).toHaveLength(1);
    expect(await suspectsOf(witness)).toEqual([]);
    await witness.settle(taken!);
    expect(await suspectsOf(witness)).toEqual([['Parcel/k', 1]]);
  });

  test('F006 finding D: a run that was claimed after the last heartbeat counts by its head', async () => {
    const [witness, dead] = [await dispatcher(), await dispatcher()];
    await later(5);
    await room.enqueue(writer, 'k', 1, 2);
    await dead.claim();
    await later(40);
    await lives(witness.owner);
    expect(await witness.take()).toEqual([]);
    expect(await crashes('k')).toEqual([1, 0]);
  });

  test('F006 finding D: alone once more, the count grows; an ordinary outcome clears it', async () => {
    const [dead, witness, second] = [await dispatcher(), await dispatcher(), await dispatcher()];
    await room.enqueue(writer, 'k', 1);
    const [run] = (await dead.claim()).runs;
    await seeDispatcher(store, { id: dead.owner, inHand: [run!.head] });
    await later(40);
    await lives(witness.owner);
    await witness.take();
    expect(await suspectsOf(second)).toEqual([['Parcel/k', 1]]);
    await seeDispatcher(store, { id: second.owner, inHand: [run!.head] });
    await later(40);
    await lives(witness.owner);
    const [suspect] = await witness.claimer.claimSuspect();
    expect(suspect?.records[0]).toMatchObject({ crashes: 2, attempt: 0 });
    await witness.settle(suspect!, 0, { then: 'retry', delayMs: 0, error: 'no' });
    expect(await crashes('k')).toEqual([0]);
    expect(await witness.take()).toEqual(['k:1']);
  });
});

describe('a lease that merely ran out', () => {
  const claimed = async (): Promise<{ worker: Worker; other: Worker; head: string }> => {
    const [worker, other] = [await dispatcher(), await dispatcher()];
    await room.enqueue(writer, 'k', 1);
    const [run] = (await worker.claim()).runs;
    await seeDispatcher(store, { id: worker.owner, inHand: [run!.head] });
    return { worker, other, head: run!.head };
  };

  test('finding D: the owner lives', async () => {
    const { worker, other } = await claimed();
    await later(40);
    for (const { owner } of [worker, other]) await lives(owner);
    expect(await other.take()).toEqual(['k:1']);
    expect(await crashes('k')).toEqual([0]);
  });

  test('finding D: the owner has signed off', async () => {
    const { worker, other } = await claimed();
    await leaveDispatcher(store, worker.owner);
    await later(40);
    await lives(other.owner);
    expect(await other.take()).toEqual(['k:1']);
  });

  test('finding D: the store was away, so every heartbeat has a gap', async () => {
    const { other } = await claimed();
    await later(40);
    await seeDispatcher(store, { id: other.owner });
    expect(await other.take()).toEqual(['k:1']);
  });

  test('finding D: it was not in hand', async () => {
    const { worker, other } = await claimed();
    await seeDispatcher(store, { id: worker.owner });
    await later(40);
    await lives(other.owner);
    expect(await other.take()).toEqual(['k:1']);
  });

  test('finding D: without a witness it is a crash only where the server has not started anew', async () => {
    const { worker, other, head } = await claimed();
    await room.query('delete from waybill.dispatcher where id = $1::uuid', [other.owner]);
    await later(40);
    // The server of the tests is younger than the heartbeat pretends to be.
    const [young] = await room.query(
      'select pg_postmaster_start_time() >= seen_at as young from waybill.dispatcher where id = $1::uuid',
      [worker.owner],
    );
    await enter(randomUUID());
    expect(await other.take()).toEqual(young?.['young'] === true ? ['k:1'] : []);
    expect(head).toBeTruthy();
  });
});
