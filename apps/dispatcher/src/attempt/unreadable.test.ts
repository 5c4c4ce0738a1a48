import { Type } from '@sinclair/typebox';
import { createReaders, defineContracts, defineMessage } from '@waybill/contracts';
import { expect, test, vi } from 'vitest';
import { Outbox, startLoop } from '../../test/loop.ts';
import { claimedRecord } from '../../test/loop-parts.ts';
import { delivery, MoveParcel, NotifyOwner, WeighParcel } from '../../test/parcels.ts';
import { call } from '../routes/call.ts';
import { UnreadablePairs } from './unreadable-pairs.ts';

/** The parcel contracts of a build whose upcast is broken. */
function brokenContracts() {
  const Broken = defineMessage({
    type: MoveParcel.type,
    kind: 'journey-step-command',
    recordKey: (parcel) => `Parcel/${parcel.parcel}`,
    versions: MoveParcel.versions,
    upcast: {
      2: () => {
        throw new TypeError('not for this parcel');
      },
    },
    delivery,
  });
  const contracts = defineContracts({
    name: '@acme/broken',
    messages: [Broken, WeighParcel, NotifyOwner],
    events: [],
  });
  return { readers: createReaders([contracts]), Broken };
}

test('O02, I05: what this build cannot read after all uses up no attempt, and another build delivers it', async () => {
  const outbox = await Outbox.forTest();
  const { readers, Broken } = brokenContracts();
  const OldMove = defineMessage({
    type: MoveParcel.type,
    kind: 'journey-step-command',
    recordKey: (parcel) => `Parcel/${parcel.parcel}`,
    versions: { 1: Type.Object({ parcel: Type.String(), step: Type.Integer() }) },
    delivery,
  });
  for (const parcel of ['a', 'b', 'c', 'd', 'e', 'f']) await outbox.enqueue(OldMove, { parcel, step: 1 });
  const touched: string[] = [];
  const bad = startLoop(outbox, {
    readers,
    build: 'bad@2',
    routes: { moved: call(Broken, () => void touched.push('bad')) },
  });
  await bad.untilLogged(/no longer asks/);
  // It goes on with everything else, the same type in a version that it reads included.
  await outbox.enqueue(MoveParcel, { parcel: 'g', step: 1, depot: 'd' });
  await outbox.enqueue(WeighParcel, { parcel: 'h', grams: 1 });
  await outbox.untilDispatched(2);
  const left = (await outbox.records()).filter(({ state }) => state !== 'dispatched');
  expect(left.map(({ state, attempt, lease_owner }) => [state, attempt, lease_owner])).toEqual(
    Array.from({ length: 6 }, () => ['pending', 0, null]),
  );
  // The registry says so, to gates, writers and people: nobody reads the pair now.
  expect(await outbox.query(GIVEN_UP)).toEqual([
    { build: 'bad@2', unreadable: ['parcels.move@1'], still_claimed: false },
  ]);
  expect(await outbox.query(`select distinct pending_reason from waybill.record where state = 'pending'`)).toEqual([
    { pending_reason: 'no-reader' },
  ]);
  // Released with a rest; an operator's clock cannot be waited for in a test.
  await outbox.query('update waybill.delivery set due_at = clock_timestamp() where due_at is not null');
  startLoop(outbox, { build: 'good@3', routes: { moved: call(MoveParcel, ({ depot }) => void touched.push(depot)) } });
  await outbox.untilDispatched(8);
  expect(touched).toEqual(['bad', ...Array.from({ length: 6 }, () => 'unknown')]);
});

const DUE_NOW =
  'update waybill.delivery set due_at = clock_timestamp() where due_at is not null and lease_owner is null returning position';
const GIVEN_UP = `select d.build, array_agg(c.type || '@' || c.schema_version) as unreadable, bool_or(c.id = any (d.capabilities)) as still_claimed
  from waybill.dispatcher d join waybill.contract c on c.id = any (d.unreadable) group by d.build`;

test('O02: a damaged record is dead only once every live build that claims its pair has failed on it; nothing else of the pair is held up', async () => {
  const outbox = await Outbox.forTest();
  const loop = startLoop(outbox, { build: 'one@1' });
  await loop.untilRunning();
  await outbox.query(`insert into waybill.dispatcher (id, build, capabilities, lease_ms, heartbeat_ms)
    select gen_random_uuid(), 'other@1', array_agg(id), 30000, 300000 from waybill.contract`);
  await outbox.query('select from waybill.enqueue($1::text::json)', [
    JSON.stringify([
      { type: NotifyOwner.type, version: 1, kind: NotifyOwner.kind, record_key: '', payload: { owner: 7 } },
    ]),
  ]);
  /** Lets the loop look at it once more, and waits until it has. */
  const look = async (times: number): Promise<void> => {
    if (times > 1)
      await vi.waitFor(async () => expect(await outbox.query(DUE_NOW), 'it rests').toHaveLength(1), {
        timeout: 15_000,
      });
    await vi.waitFor(
      () => expect(loop.lines.filter(({ result }) => result === 'unreadable-here')).toHaveLength(times),
      { timeout: 15_000 },
    );
  };
  await look(1);
  await look(2);
  await outbox.enqueue(NotifyOwner, { owner: 'o', text: 't' });
  await outbox.untilDispatched(1);
  const damaged = async () => (await outbox.records()).find(({ state }) => state !== 'dispatched');
  expect(await damaged()).toMatchObject({ state: 'pending', attempt: 0 });
  expect(await outbox.query('select build, why from waybill.unreadable')).toEqual([
    { build: 'one@1', why: expect.stringMatching(/^invalid: /) as unknown },
  ]);

  await outbox.query(
    `insert into waybill.unreadable (seq, build, why) select seq, 'other@1', 'invalid' from waybill.unreadable`,
  );
  await look(3);
  await outbox.until((rows) => rows.some(({ state }) => state === 'dead-letter'));
  expect(await damaged()).toMatchObject({
    state: 'dead-letter',
    attempt: 0,
    last_error: expect.stringMatching(/^unreadable-here \(invalid\)/) as unknown,
  });
  expect(await outbox.query('select reason from waybill.dead_letter')).toEqual([{ reason: 'unreadable' }]);
});

test('O02: one damaged record, however often it is seen, does not give up its pair', () => {
  const pairs = new UnreadablePairs();
  const note = (position: string, contractId: number): boolean => pairs.note(claimedRecord(position, { contractId }));
  expect([note('1', 7), note('1', 7), note('1', 7), note('2', 7)]).toEqual([false, false, false, false]);
  expect(pairs.readable([7, 8])).toEqual([7, 8]);
  expect([note('3', 8), note('3', 7), note('4', 7)]).toEqual([false, true, false]);
  expect(pairs.readable([7, 8])).toEqual([8]);
  pairs.noteRead(claimedRecord('9', { contractId: 7 }));
  expect(pairs.hasGivenUp(7), 'what was given up stays so').toBe(true);
});

test('O02: damaged records that come along now and then do not add up, as long as others are read', () => {
  const pairs = new UnreadablePairs();
  for (const position of ['1', '2', '3', '4']) {
    expect(pairs.note(claimedRecord(position, { contractId: 7 }))).toBe(false);
    pairs.noteRead(claimedRecord('9', { contractId: 7 }));
  }
  expect(pairs.readable([7])).toEqual([7]);
});
