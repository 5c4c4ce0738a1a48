import { describe, expect, test } from 'vitest';
import { Gate } from '../../test/gate.ts';
import { Outbox, startLoop } from '../../test/loop.ts';
import { ParcelMoved, WeighParcel } from '../../test/parcels.ts';
import { call } from '../routes/call.ts';

describe('the loop', () => {
  test('W10, I01: claims, delivers and settles, each key in its order', async () => {
    const outbox = await Outbox.forTest();
    const steps = new Map<string, number[]>();
    const moved = call(ParcelMoved, ({ parcel, step }) => {
      steps.set(parcel, [...(steps.get(parcel) ?? []), step]);
    });
    const loop = startLoop(outbox, { routes: { moved } });
    await Promise.all(['a', 'b', 'c'].map((parcel) => outbox.moves(parcel, 20)));
    const rows = await outbox.untilDispatched(60);
    expect([...steps.values()]).toEqual(
      Array.from({ length: 3 }, () => Array.from({ length: 20 }, (_, index) => index + 1)),
    );
    expect(rows.every(({ attempt }) => attempt === 1)).toBe(true);
    expect(await loop.dispatcher.drain()).toMatchObject({ complete: true, interrupted: 0, unsettled: 0 });
    expect(loop.dispatcher.state()).toBe('stopped');
  });

  test('Q02, Q01: a handler that never ends occupies its worker only', async () => {
    const outbox = await Outbox.forTest();
    const blocked = new Gate();
    await outbox.enqueue(WeighParcel, { parcel: 'stuck', grams: 1 });
    const loop = startLoop(outbox, { routes: { weigh: call(WeighParcel, () => blocked.pass()) } });
    await blocked.reached;
    await outbox.moves('free', 30);
    await outbox.untilDispatched(30);
    blocked.open();
    await outbox.untilDispatched(31);
    expect(loop.dispatcher.state()).toBe('running');
  });
});
