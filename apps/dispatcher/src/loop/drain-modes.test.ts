import { entry } from '@waybill/store';
import { createOnce } from '@waybill/store/pg';
import { describe, expect, test } from 'vitest';
import { Gate } from '../../test/gate.ts';
import { Outbox, startLoop } from '../../test/loop.ts';
import { MoveParcel, NotifyOwner, WeighParcel } from '../../test/parcels.ts';
import { call } from '../routes/call.ts';
import { handle } from '../routes/handle.ts';
import type { ChooseDrainMode } from './drain-modes.ts';

const always =
  (mode: 'pull' | 'batch', skips: readonly string[] = []): ChooseDrainMode =>
  () =>
    Promise.resolve({ mode, skips });
const notices = (count: number) =>
  Array.from({ length: count }, (_, n) => entry(NotifyOwner, { owner: `o${n}`, text: 't' }));

describe('Q20: the batch drainer', () => {
  test('Q20 Q10: drains everything, each key in order, and nothing of the next batch before all of the last one', async () => {
    const outbox = await Outbox.forTest();
    const steps: number[] = [];
    const moved = call(MoveParcel, ({ step }) => void steps.push(step));
    await outbox.moves('a', 30);
    await outbox.enqueueMany(notices(250));
    const loop = startLoop(outbox, { routes: { moved }, chooseMode: always('batch') });
    await outbox.untilDispatched(280);
    expect(steps).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    await loop.untilLogged('draining begins');
    await loop.dispatcher.drain();
    const [lease] = await outbox.query('select owner from waybill.drain_lease');
    expect(lease).toEqual({ owner: null });
  });

  test('Q20: of many processes one drains in batches, and the next one when that one has gone', async () => {
    const outbox = await Outbox.forTest();
    const loops = [1, 2, 3].map(() => startLoop(outbox, { chooseMode: always('batch') }));
    const draining = (): number[] =>
      loops.flatMap((loop, index) => (loop.lines.some(({ msg }) => msg === 'draining begins') ? [index] : []));
    await expect.poll(draining).toHaveLength(1);
    await expect
      .poll(() => loops.filter((loop) => loop.lines.some(({ msg }) => String(msg).startsWith('waiting until'))))
      .toHaveLength(2);
    expect(draining()).toHaveLength(1);
    await loops[draining()[0] ?? 0]?.dispatcher.drain();
    await outbox.enqueueMany(notices(3));
    await outbox.untilDispatched(3);
    expect(draining()).toHaveLength(2);
  });

  test('Q20: pull workers and the batch drainer exclude each other while the flag changes from process to process', async () => {
    const outbox = await Outbox.forTest();
    const old = startLoop(outbox, { chooseMode: always('batch') });
    await old.untilLogged('draining begins');
    const fresh = startLoop(outbox, { chooseMode: always('pull') });
    await fresh.untilLogged(/waiting until the store is drained in one way only/);
    await outbox.enqueueMany(notices(5));
    await outbox.untilDispatched(5);
    expect(fresh.lines.some(({ msg }) => msg === 'draining begins')).toBe(false);
    await old.dispatcher.drain();
    await fresh.untilLogged('draining begins');
    await outbox.enqueueMany(notices(5));
    await outbox.untilDispatched(10);
  });

  test('Q18: what is scoped out is not asked for by pull workers, and keeps its key', async () => {
    const outbox = await Outbox.forTest();
    const order: string[] = [];
    const loop = startLoop(outbox, {
      chooseMode: always('pull', [WeighParcel.type]),
      routes: {
        weigh: call(WeighParcel, () => void order.push('weigh')),
        moved: call(MoveParcel, ({ parcel }) => void order.push(`move ${parcel}`)),
      },
    });
    await loop.untilRunning();
    await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    await outbox.moves('a', 1);
    await outbox.moves('b', 1);
    await outbox.untilDispatched(1);
    expect(order).toEqual(['move b']);
    await loop.dispatcher.drain();
    startLoop(outbox, {
      chooseMode: always('batch'),
      routes: { moved: call(MoveParcel, ({ parcel }) => void order.push(`move ${parcel}`)) },
    });
    await outbox.untilDispatched(3);
    expect(order).toEqual(['move b', 'move a']);
  });
});

describe('Q23: a delete cascade holds the lock of a parent', () => {
  async function incident(mode: 'pull' | 'batch') {
    const outbox = await Outbox.forTest();
    await outbox.query('create table parent (name text primary key, children integer not null default 0)');
    await outbox.query("insert into parent values ('locked'), ('free')");
    // The cascade: somebody else's transaction that deletes a parent and has not ended.
    const cascade = await outbox.pool.connect();
    await cascade.query('begin');
    await cascade.query("select from parent where name = 'locked' for update");
    const reached = new Gate();
    const weigh = handle(
      WeighParcel,
      async ({ parcel }, { tx }) => {
        if (parcel === 'locked') void reached.pass();
        await tx.query('update parent set children = children + 1 where name = $1', [parcel]);
      },
      { lockTimeoutMs: 60_000 },
    );
    await outbox.enqueue(WeighParcel, { parcel: 'locked', grams: 1 });
    startLoop(outbox, {
      routes: { weigh },
      chooseMode: always(mode),
      settings: { workers: { concurrency: 4, runLength: 50 } },
    });
    await reached.reached;
    const end = async (): Promise<void> => {
      await cascade.query('rollback');
      cascade.release();
    };
    return { outbox, end };
  }

  test('Q23: the batch drainer freezes behind its barrier: nothing else is delivered until the lock is gone', async () => {
    const { outbox, end } = await incident('batch');
    await outbox.moves('free', 10);
    // The heartbeat goes on, so the drain looks alive all the while.
    const seen = async (): Promise<unknown> =>
      (await outbox.query('select max(seen_at)::text as at from waybill.dispatcher'))[0]?.['at'];
    const before = await seen();
    await expect.poll(seen).not.toBe(before);
    expect((await outbox.records()).filter(({ state }) => state === 'dispatched')).toEqual([]);
    await end();
    await outbox.untilDispatched(11);
  });

  test('Q23 Q02: with pull workers unrelated records go on, and the locked one alone waits', async () => {
    const { outbox, end } = await incident('pull');
    await outbox.moves('free', 10);
    await outbox.untilDispatched(10);
    await end();
    await outbox.untilDispatched(11);
  });

  test('Q23: records of that parent end with a lock error or a missing record, and bookkeeping', async () => {
    const outbox = await Outbox.forTest();
    await outbox.query('create table parent (name text primary key, children integer not null default 0)');
    await outbox.query("insert into parent values ('locked')");
    const cascade = await outbox.pool.connect();
    await cascade.query('begin');
    await cascade.query("delete from parent where name = 'locked'");
    const weigh = handle(
      WeighParcel,
      async ({ parcel }, { tx }) => {
        const { rowCount } = await tx.query('update parent set children = children + 1 where name = $1', [parcel]);
        if (rowCount === 0) return { outcome: 'refused', class: 'missing-record', detail: 'the parent is gone' };
        return undefined;
      },
      { lockTimeoutMs: 100 },
    );
    const id = await outbox.enqueue(WeighParcel, { parcel: 'locked', grams: 1 });
    startLoop(outbox, {
      routes: { weigh },
      settings: { retry: { maxAttempts: 1_000, baseMs: 50, factor: 1, capMs: 50 } },
    });
    const [waiting] = await outbox.until((rows) => rows.some((row) => row.id === id && row.attempt >= 2));
    expect(waiting?.last_error).toMatch(/^retry \(lock-timeout\)/);
    await cascade.query('commit');
    cascade.release();
    const [ended] = await outbox.until((rows) => rows.some((row) => row.id === id && row.state === 'dead-letter'));
    expect(ended?.last_error).toBe('refused (missing-record): the parent is gone');
  });

  test('Q23: a field that is saved after the lock is gone is computed from what is there then, not from what was there before', async () => {
    const outbox = await Outbox.forTest();
    await outbox.query('create table parent (name text primary key, children integer not null default 0)');
    await outbox.query("insert into parent values ('p')");
    // Each handler reads, and saves what it has computed: without a fresh look under the lock all but one would be lost.
    const weigh = handle(WeighParcel, async (_payload, { tx }) => {
      const { rows } = await tx.query<{ children: number }>("select children from parent where name = 'p' for update");
      await tx.query("update parent set children = $1 where name = 'p'", [(rows[0]?.children ?? 0) + 1]);
    });
    await outbox.enqueueMany(Array.from({ length: 40 }, (_, n) => entry(WeighParcel, { parcel: `k${n}`, grams: 1 })));
    startLoop(outbox, { routes: { weigh } });
    await outbox.untilDispatched(40);
    expect(await outbox.query('select children from parent')).toEqual([{ children: 40 }]);
  });

  test('Q23 Q16: a create that is delivered again makes no second row and burns no number', async () => {
    const outbox = await Outbox.forTest();
    await outbox.query('create table label (number serial primary key, parcel text not null unique)');
    const created: boolean[] = [];
    let calls = 0;
    const weigh = handle(WeighParcel, async ({ parcel }, { tx }) => {
      const result = await createOnce(tx, { table: 'label', key: { parcel }, values: {} });
      created.push(result.created);
      calls += 1;
      if (calls === 1) throw new Error('after the create');
    });
    for (const grams of [1, 2, 3]) await outbox.enqueue(WeighParcel, { parcel: 'a', grams });
    await outbox.enqueue(WeighParcel, { parcel: 'b', grams: 1 });
    startLoop(outbox, { routes: { weigh } });
    await outbox.untilDispatched(4);
    expect(created.filter((word) => word)).toHaveLength(3);
    const numbers = (await outbox.query('select number from label order by number')).map(({ number }) =>
      Number(number),
    );
    expect(numbers).toHaveLength(2);
    // The one that was rolled back had taken a number; none of the repeats has.
    expect(await outbox.query('select last_value::integer as last from label_number_seq')).toEqual([{ last: 3 }]);
  });
});
