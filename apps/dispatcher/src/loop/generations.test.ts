/** A dispatcher on tables of generation 1, which have no record keys, and through their migration. */
import { describe, expect, test, vi } from 'vitest';
import { Gate } from '../../test/gate.ts';
import { backfill, migrateOutbox, moveWithoutKey, oldOutbox, weighWithoutKey } from '../../test/generation-one.ts';
import { type Loop, type Outbox, startLoop } from '../../test/loop.ts';
import { MoveParcel, NotifyOwner, WeighParcel } from '../../test/parcels.ts';
import { call } from '../routes/call.ts';
import { handle } from '../routes/handle.ts';
import { systemClock } from './clock.ts';

const SOON = { timeout: 30_000 };

/** Takes longer for some steps than for those that follow, so that only an order that is kept is seen. */
async function dawdle(step: number): Promise<void> {
  for (let turn = 0; turn < (step * 7) % 20; turn += 1) await new Promise(setImmediate);
}

/** How the loop has drained, one after the other. */
function modesOf({ lines }: Loop): readonly unknown[] {
  return lines.filter(({ msg }) => msg === 'draining begins').map(({ mode, keyless }) => ({ mode, keyless }));
}

/** Where each step of a parcel ended, as the tables of every generation tell it. */
function ended(outbox: Outbox): Promise<readonly unknown[]> {
  return outbox.query(
    `select m.payload->>'parcel' as parcel, (m.payload->>'step')::integer as step, d.attempt
     from waybill.dispatched d join waybill.message m on m.seq = d.seq order by parcel, step`,
  );
}

describe('Q07: tables without record keys', () => {
  test('Q07 Q10 Q20: the batch drainer works, ready for everybody, and keeps the order of each key', async () => {
    const outbox = await oldOutbox();
    const seen: string[] = [];
    const note = async ({ parcel, step }: { parcel: string; step: number }): Promise<void> => {
      await dawdle(step);
      seen.push(`${parcel}${String(step)}`);
    };
    for (let step = 1; step <= 30; step += 1)
      for (const parcel of ['a', 'b']) await moveWithoutKey(outbox, parcel, [step]);
    const loop = startLoop(outbox, { routes: { moved: call(MoveParcel, note) } });
    await outbox.untilCount('waybill.dispatched', 60);
    const steps = (parcel: string): readonly string[] => seen.filter((one) => one.startsWith(parcel));
    const expected = (parcel: string): string[] => Array.from({ length: 30 }, (_, n) => `${parcel}${String(n + 1)}`);
    expect([steps('a'), steps('b')]).toEqual([expected('a'), expected('b')]);
    expect(loop.dispatcher.health()).toMatchObject({ schema: 'ready', registered: true });
    expect(await loop.untilLogged('draining begins')).toMatchObject({ mode: 'batch', keyless: true });
    await loop.dispatcher.drain();
    expect(await outbox.query('select owner from waybill.drain_lease')).toEqual([{ owner: null }]);
  });

  test('Q07 Q15: a failed record counts its attempt, holds its key and no other one, and ends in the dead letters at last', async () => {
    const outbox = await oldOutbox();
    const seen: string[] = [];
    const moved = call(MoveParcel, ({ parcel, step }) => {
      seen.push(`${parcel}${String(step)}`);
      if (parcel === 'bad' && step === 1) throw new Error('no');
    });
    await moveWithoutKey(outbox, 'bad', [1]);
    await moveWithoutKey(outbox, 'bad', [2]);
    await moveWithoutKey(outbox, 'good', [1]);
    startLoop(outbox, { routes: { moved } });
    await outbox.untilCount('waybill.dispatched', 2);
    expect(seen.filter((one) => one.startsWith('bad'))).toEqual(['bad1', 'bad1', 'bad1', 'bad2']);
    expect(await outbox.query('select attempt, reason from waybill.dead_letter')).toEqual([
      { attempt: 3, reason: 'attempts-exhausted' },
    ]);
  });

  test('Q07 Q12: a handler in the database commits its effects with the settlement', async () => {
    const outbox = await oldOutbox();
    await outbox.query('create table arrival (parcel text, step integer)');
    const moved = handle(MoveParcel, async ({ parcel, step }, { tx }) => {
      await tx.query('insert into arrival values ($1, $2)', [parcel, step]);
      if (step === 2 && (await tx.query('select from arrival where step = 1')).rowCount === 0)
        throw new Error('no first');
    });
    for (const step of [1, 2, 3]) await moveWithoutKey(outbox, 'a', [step]);
    startLoop(outbox, { routes: { moved } });
    await outbox.untilCount('waybill.dispatched', 3);
    expect(await outbox.query('select parcel, step from arrival')).toEqual(
      [1, 2, 3].map((step) => ({ parcel: 'a', step })),
    );
  });

  test('Q07 Q18: what may not be handed out keeps its key, and no other one', async () => {
    const outbox = await oldOutbox();
    const seen: string[] = [];
    const gate = new Gate<undefined>();
    const routes = {
      weigh: call(WeighParcel, async ({ parcel }) => {
        await gate.pass();
        seen.push(`weigh ${parcel}`);
      }),
      moved: call(MoveParcel, ({ parcel, step }) => void seen.push(`${parcel}${String(step)}`)),
    };
    await weighWithoutKey(outbox, 'a');
    await weighWithoutKey(outbox, 'b');
    await moveWithoutKey(outbox, 'a', [1]);
    await moveWithoutKey(outbox, 'b', [1]);
    await moveWithoutKey(outbox, 'c', [1]);
    // One weighing at a time: the second one is not asked for, and what follows in its key waits.
    startLoop(outbox, { routes, limits: { [WeighParcel.type]: { concurrency: 1 } } });
    await vi.waitFor(() => expect(seen).toContain('c1'), SOON);
    gate.open(undefined);
    await outbox.untilCount('waybill.dispatched', 5);
    for (const parcel of ['a', 'b']) expect(seen.indexOf(`weigh ${parcel}`)).toBeLessThan(seen.indexOf(`${parcel}1`));
  });

  test('Q20 I03: the next drainer takes nothing before what a dead one still holds', async () => {
    const outbox = await oldOutbox();
    for (const step of [1, 2, 3]) await moveWithoutKey(outbox, 'a', [step]);
    await outbox.query(
      `update waybill.delivery set lease_owner = gen_random_uuid(), lease_expires_at = clock_timestamp() + interval '1500 milliseconds'
       where position = (select min(position) from waybill.delivery)`,
    );
    const seen: number[] = [];
    startLoop(outbox, { routes: { moved: call(MoveParcel, ({ step }) => void seen.push(step)) } });
    await outbox.untilCount('waybill.dispatched', 3);
    expect(seen).toEqual([1, 2, 3]);
  });
});

describe('Q07 Q09: the migration of tables that are at work', () => {
  test('Q07 Q09 Q10: the running dispatcher goes on in order, through the migration, with what has no key, and pulls once all have one', async () => {
    const outbox = await oldOutbox();
    const seen: number[] = [];
    let tries = 0;
    const moved = call(MoveParcel, async ({ parcel, step }) => {
      if (parcel !== 'a') return;
      await dawdle(step);
      // The twelfth step fails at first, so that the order of the key has to outlast a retry as well.
      if (step === 12 && (tries += 1) < 3) throw new Error('not yet');
      seen.push(step);
    });
    for (let step = 1; step <= 20; step += 1) await moveWithoutKey(outbox, 'a', [step]);
    await moveWithoutKey(outbox, 'a', [21], { inMs: 400 });
    const loop = startLoop(outbox, { routes: { moved } });
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(5), SOON);
    await migrateOutbox(outbox);
    for (let step = 22; step <= 25; step += 1) await outbox.enqueue(MoveParcel, { parcel: 'a', step, depot: 'd' });
    await outbox.enqueue(NotifyOwner, { owner: 'o', text: 't' });
    await outbox.untilCount('waybill.dispatched', 26);
    expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => n + 1));
    await vi.waitFor(() => {
      const modes = loop.lines
        .filter(({ msg }) => msg === 'draining begins')
        .map(({ mode, keyless }) => ({ mode, keyless }));
      expect(modes[0]).toEqual({ mode: 'batch', keyless: true });
      expect(modes.at(-1)).toEqual({ mode: 'pull', keyless: false });
    }, SOON);
    expect((await ended(outbox)).length).toBe(26);
  });

  test('Q09: the backfill gets at what waits in the hands of the drainer', async () => {
    const outbox = await oldOutbox();
    await moveWithoutKey(outbox, 'a', [1], { inMs: 3_600_000 });
    await moveWithoutKey(outbox, 'b', [1]);
    await migrateOutbox(outbox);
    // Time runs a hundred times as fast for the drainer, so that its turn comes soon.
    const clock = { ...systemClock, now: () => systemClock.now() * 100 };
    const settings = { lease: { leaseMs: 300_000, renewEveryMs: 1_000 } };
    const loop = startLoop(outbox, { clock, settings });
    await outbox.untilCount('waybill.dispatched', 1);
    await vi.waitFor(async () => expect(await backfill(outbox)).toMatchObject({ outcome: 'complete' }), SOON);
    await vi.waitFor(() => expect(modesOf(loop).at(-1)).toEqual({ mode: 'pull', keyless: false }), SOON);
  });

  test('Q08 Q20 I03: a batch drainer of tables with keys keeps the order of what an older process writes without them', async () => {
    const outbox = await oldOutbox();
    await migrateOutbox(outbox);
    const seen: number[] = [];
    const moved = call(MoveParcel, async ({ step }) => {
      await dawdle(step);
      seen.push(step);
    });
    const loop = startLoop(outbox, {
      routes: { moved },
      settings: { workers: { concurrency: 8, runLength: 50 } },
      chooseMode: () => Promise.resolve({ mode: 'batch', skips: [] }),
    });
    await loop.untilLogged('draining begins');
    await moveWithoutKey(
      outbox,
      'a',
      Array.from({ length: 40 }, (_, n) => n + 1),
    );
    await outbox.untilCount('waybill.dispatched', 40);
    expect(seen).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
  });
});
