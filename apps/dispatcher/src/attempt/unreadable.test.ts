import { Type } from '@sinclair/typebox';
import { createReaders, defineContracts, defineEvent, defineMessage } from '@waybill/contracts';
import { expect, test } from 'vitest';
import { Outbox, startLoop } from '../../test/loop.ts';
import { claimedRecord } from '../../test/loop-parts.ts';
import { delivery, NotifyOwner, ParcelMoved, WeighParcel } from '../../test/parcels.ts';
import { call } from '../routes/call.ts';
import { UnreadablePairs } from './unreadable-pairs.ts';

/** The parcel contracts of a build whose upcast of the event is broken. */
function brokenContracts() {
  const event = defineEvent({ id: 'EVT-PARCEL-MOVED', title: 't', raises: 'r', reactsTo: ['x'] });
  const Broken = defineMessage({
    type: ParcelMoved.type,
    kind: 'integration-event',
    event: event.id,
    recordKey: (parcel) => `Parcel/${parcel.parcel}`,
    versions: ParcelMoved.versions,
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
    events: [event],
  });
  return { readers: createReaders([contracts]), Broken };
}

test('O02, I05: what this build cannot read after all uses up no attempt, and another build delivers it', async () => {
  const outbox = await Outbox.forTest();
  const { readers, Broken } = brokenContracts();
  const OldMoved = defineMessage({
    type: ParcelMoved.type,
    kind: 'integration-event',
    event: 'EVT-PARCEL-MOVED',
    recordKey: (parcel) => `Parcel/${parcel.parcel}`,
    versions: { 1: Type.Object({ parcel: Type.String(), step: Type.Integer() }) },
    delivery,
  });
  for (const parcel of ['a', 'b', 'c', 'd', 'e', 'f']) await outbox.enqueue(OldMoved, { parcel, step: 1 });
  const touched: string[] = [];
  const bad = startLoop(outbox, {
    readers,
    build: 'bad@2',
    routes: { moved: call(Broken, () => void touched.push('bad')) },
  });
  await bad.untilLogged(/no longer asks/);
  // It goes on with everything else, the same type in a version that it reads included.
  await outbox.enqueue(ParcelMoved, { parcel: 'g', step: 1, depot: 'd' });
  await outbox.enqueue(WeighParcel, { parcel: 'h', grams: 1 });
  await outbox.untilDispatched(2);
  const left = (await outbox.records()).filter(({ state }) => state !== 'dispatched');
  expect(left.map(({ state, attempt, lease_owner }) => [state, attempt, lease_owner])).toEqual(
    Array.from({ length: 6 }, () => ['pending', 0, null]),
  );
  // Released with a rest; an operator's clock cannot be waited for in a test.
  await outbox.query('update waybill.delivery set due_at = clock_timestamp() where due_at is not null');
  startLoop(outbox, { build: 'good@3', routes: { moved: call(ParcelMoved, ({ depot }) => void touched.push(depot)) } });
  await outbox.untilDispatched(8);
  expect(touched).toEqual(['bad', ...Array.from({ length: 6 }, () => 'unknown')]);
});

test('O02: one damaged record, however often it is seen, does not give up its pair', () => {
  const pairs = new UnreadablePairs();
  const note = (position: string, contractId: number): boolean => pairs.note(claimedRecord(position, { contractId }));
  expect([note('1', 7), note('1', 7), note('1', 7), note('2', 7)]).toEqual([false, false, false, false]);
  expect(pairs.readable([7, 8])).toEqual([7, 8]);
  expect([note('3', 8), note('3', 7), note('4', 7)]).toEqual([false, true, false]);
  expect(pairs.readable([7, 8])).toEqual([8]);
});
