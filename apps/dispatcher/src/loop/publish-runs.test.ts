import { entry } from '@waybill/store';
import type { OutgoingMessage, Transport } from '@waybill/transports';
import { memory } from '@waybill/transports/memory';
import { expect, test } from 'vitest';
import { Gate } from '../../test/gate.ts';
import { Outbox, startLoop } from '../../test/loop.ts';
import { MoveParcel, WeighParcel } from '../../test/parcels.ts';
import { publish } from '../routes/publish.ts';

interface Body {
  readonly parcel: string;
  readonly step: number;
}

/** A transport that takes many at once, and notes what it is given; `before` may make it wait. */
function noting(before: (batch: readonly OutgoingMessage[]) => Promise<void> = () => Promise.resolve()) {
  const target = memory({ name: 'moves' });
  const batches: (readonly Body[])[] = [];
  const to: Transport = {
    ...target,
    async publish(batch, context) {
      batches.push(batch.map(({ body }) => JSON.parse(body) as Body)); // parcels of this test, nothing else
      await before(batch);
      return target.publish(batch, context);
    },
  };
  return { to, batches };
}
const ONE_WORKER = { workers: { concurrency: 1, runLength: 50 } };

test('T01: a target that takes several at once gets the records of a key in one publish, once it is known to be quick', async () => {
  const outbox = await Outbox.forTest();
  const { to, batches } = noting();
  await outbox.moves('a', 300);
  startLoop(outbox, { routes: { moved: publish(MoveParcel, { to }) } });
  await outbox.untilDispatched(300);
  expect(batches.flat().map(({ step }) => step)).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
  expect(batches[0]).toHaveLength(1);
  expect(Math.max(...batches.map((batch) => batch.length))).toBeGreaterThan(10);
});

test('Q02: of the keys that one worker brings to a target, the one that is not answered holds none of the others', async () => {
  const outbox = await Outbox.forTest();
  const blocked = new Gate();
  const { to } = noting(async ([message]) => {
    if (message?.recordKey === 'Parcel/stuck') await blocked.pass();
  });
  // Many that are quick, so that the worker is worth claiming ahead for.
  await outbox.moves('quick', 200);
  startLoop(outbox, { routes: { moved: publish(MoveParcel, { to }) }, settings: ONE_WORKER });
  await outbox.untilDispatched(200);
  await outbox.enqueueMany(
    ['stuck', 'b', 'c', 'd'].map((parcel) => entry(MoveParcel, { parcel, step: 1, depot: 'd' })),
  );
  await blocked.reached;
  await outbox.untilDispatched(203);
  blocked.open();
  const rows = await outbox.untilDispatched(204);
  expect(rows.every(({ attempt }) => attempt === 1)).toBe(true);
});

test('T01: of two transports with one name, each gets what is routed to it, in the order of the key', async () => {
  const outbox = await Outbox.forTest();
  const [moves, weights] = [noting(), noting()];
  await outbox.enqueueMany(
    Array.from({ length: 200 }, (_, step) => [
      entry(MoveParcel, { parcel: 'a', step, depot: 'd' }),
      entry(MoveParcel, { parcel: 'a', step, depot: 'e' }),
      entry(WeighParcel, { parcel: 'a', grams: step }),
    ]).flat(),
  );
  startLoop(outbox, {
    routes: { moved: publish(MoveParcel, { to: moves.to }), weigh: publish(WeighParcel, { to: weights.to }) },
  });
  await outbox.untilCount('waybill.dispatched', 600);
  const grams = weights.batches.flat().map((body) => 'grams' in body);
  expect(grams).toEqual(Array.from({ length: 200 }, () => true));
  expect(moves.batches.flat().some((body) => 'grams' in body)).toBe(false);
  expect(Math.max(...moves.batches.map((batch) => batch.length))).toBe(2);
});
