import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { ParcelMoved } from '../../test/messages.ts';
import { NOTE, openRoom, PARCEL } from '../../test/room.ts';
import { type Session, untilBlocked } from '../../test/session.ts';
import { enqueueMany } from '../drivers/pg.ts';
import { entry } from '../enqueue/prepare.ts';
import { renew } from './renew.ts';
import { type Next, settle } from './settle.ts';

const room = await openRoom();
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

const RELEASE: Next = { then: 'release' };
const SECOND: Next = { then: 'retry', delayMs: 0, error: 'once more' };

async function record(step = 1): Promise<Readonly<Record<string, unknown>>> {
  const [row] = await room.query(`select * from waybill.record where payload->>'step' = $1`, [String(step)]);
  return row ?? {};
}
const makeDue = (): Promise<unknown> =>
  room.query('update waybill.delivery set due_at = clock_timestamp() where due_at is not null');

describe('claim', () => {
  test('W12 I03: a claim sets owner, expiry by the clock of the database, and fence, in one statement', async () => {
    await room.enqueue(writer, 'k', 1);
    const worker = await room.worker({ leaseMs: 30_000 });
    const [run] = (await worker.claim()).runs;
    const [row] = await room.query(
      `select lease_owner::text as owner, fence::text as fence, run_to,
         lease_expires_at between clock_timestamp() + interval '20 seconds' and clock_timestamp() + interval '30 seconds' as expiry
       from waybill.delivery`,
    );
    expect(row).toEqual({ owner: worker.owner, fence: run?.fence, run_to: null, expiry: true });
    worker.claimer.forget();
    expect(await worker.take(), 'nobody gets it twice').toEqual([]);
  });

  test('W15 F004: an expired lease is taken over under the next fence', async () => {
    await room.enqueue(writer, 'k', 1);
    const [first, second] = [await room.worker(), await room.worker()];
    const [lost] = (await first.claim()).runs;
    await room.expireLeases();
    const [taken] = (await second.claim()).runs;
    expect([lost?.fence, taken?.fence]).toEqual(['1', '2']);
    expect(taken?.records[0]).toMatchObject({ id: lost?.records[0]?.id, attempt: 0 });
  });

  test('W15: an expired lease below the floor is found by the next full scan', async () => {
    await room.enqueue(writer, 'k', 1);
    const [crashed, other] = [await room.worker(), await room.worker()];
    await crashed.claim();
    await other.claim();
    await room.expireLeases();
    expect(await other.take()).toEqual([]);
    other.claimer.forget();
    expect(await other.take()).toEqual(['k:1']);
  });

  test('F019 I03: the clock of the process decides nothing', async () => {
    await room.enqueue(writer, 'k', 1);
    const [first, second] = [await room.worker(), await room.worker()];
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      vi.setSystemTime('2001-01-01');
      const [run] = (await first.claim()).runs;
      vi.setSystemTime('2099-01-01');
      second.claimer.forget();
      expect(await second.take(), 'the lease is alive').toEqual([]);
      await first.settle(run!, 0, { then: 'retry', delayMs: 3_600_000, error: 'later' });
      second.claimer.forget();
      expect(await second.take(), 'the backoff is not over').toEqual([]);
    } finally {
      vi.useRealTimers();
    }
    expect(
      await room.query(
        `select due_at - clock_timestamp() between interval '50 minutes' and interval '1 hour' as hour from waybill.delivery`,
      ),
    ).toEqual([{ hour: true }]);
  });

  test('V01: what is not asked for is not taken', async () => {
    await room.enqueue(writer, 'k', 1);
    const worker = await room.worker();
    expect(await worker.take({ asks: [room.contracts.get(NOTE)!] })).toEqual([]);
    expect(await worker.take({ asks: [] })).toEqual([]);
    expect(await worker.take({ asks: [room.contracts.get(PARCEL)!] })).toEqual(['k:1']);
  });

  test('F055: never more than the limit, whatever the planner prefers', async () => {
    for (let n = 0; n < 5; n += 1) await room.enqueue(writer, String(n), 1);
    const worker = await room.worker();
    for (const method of ['hashjoin', 'mergejoin', 'hashagg', 'sort', 'material', 'nestloop', 'indexscan']) {
      await worker.session.query(`set enable_${method} = off`);
      const { runs } = await worker.claim({ limit: 1 });
      expect(runs, method).toHaveLength(1);
      expect(
        await room.query('select count(*)::integer as n from waybill.delivery where lease_owner is not null'),
      ).toEqual([{ n: 1 }]);
      await worker.settle(runs[0]!, 0, RELEASE);
    }
  });

  test('F010 Q02: ten thousand records behind one delayed head hide nothing', async () => {
    await writer.begin();
    await room.enqueue(writer, 'stuck', ...Array.from({ length: 10_000 }, (_, n) => n));
    await writer.commit();
    const worker = await room.worker();
    const [head] = (await worker.claim({ limit: 1 })).runs;
    await worker.settle(head!, 0, { then: 'retry', delayMs: 3_600_000, error: 'down' });
    for (let n = 0; n < 10; n += 1) await room.enqueue(writer, `z${String(n)}`, 1);
    expect(await worker.take({ limit: 10 })).toHaveLength(10);
  });

  test('F001 I03: two claims whose snapshots overlap never share a key', async () => {
    await writer.begin();
    await room.enqueue(writer, 'k', 1);
    const [first, second, late] = [await room.worker(), await room.worker(), await room.session()];
    const waiting = room.enqueue(late, 'k', 2);
    await untilBlocked(room.observer, late, waiting);
    await writer.commit();
    await waiting;
    await first.session.begin();
    await second.session.begin();
    expect(await first.take({ runLength: 1 })).toEqual(['k:1']);
    expect(await second.take()).toEqual([]);
    await first.session.commit();
    second.claimer.forget();
    expect(await second.take()).toEqual([]);
    await second.session.commit();
  });
});

test('F050: a claim where nothing can be written says so, though nothing waits', async () => {
  const worker = await room.worker();
  expect(await worker.take()).toEqual([]);
  await worker.session.query('set default_transaction_read_only = on');
  await expect(worker.take()).rejects.toMatchObject({ code: '25006' });
});

describe('floors', () => {
  test('F002 I02: a long transaction hides nothing and is found after its commit, without a full scan', async () => {
    await writer.begin();
    await room.enqueue(writer, 'slow', 1);
    const worker = await room.worker();
    for (let n = 0; n < 5; n += 1) {
      const quick = await room.session();
      await room.enqueue(quick, `quick${String(n)}`, 1);
      expect(await worker.take()).toEqual([`quick${String(n)}:1`]);
    }
    await writer.commit();
    expect(await worker.take()).toEqual(['slow:1']);
  });

  test('F002 I02: a long transaction of more records than one claim takes is found to its end', async () => {
    const worker = await room.worker();
    await writer.begin();
    for (let n = 0; n < 25; n += 1) await room.enqueue(writer, `slow${String(n)}`, 1);
    await room.enqueue(await room.session(), 'quick', 1);
    expect(await worker.take({ limit: 10 })).toEqual(['quick:1']);
    await writer.commit();
    const taken: string[] = [];
    for (let claims = 0; claims < 4; claims += 1) taken.push(...(await worker.take({ limit: 10 })));
    expect(taken).toHaveLength(25);
  });

  test('F002 I02: more open transactions than a floor remembers are all found', async () => {
    const open = await Promise.all(Array.from({ length: 12 }, () => room.session()));
    for (const [n, session] of open.entries()) {
      await session.begin();
      await room.enqueue(session, `slow${String(n)}`, 1);
    }
    const worker = await room.worker();
    await room.enqueue(writer, 'quick', 1);
    expect(await worker.take()).toEqual(['quick:1']);
    const taken: string[] = [];
    for (const session of open.toReversed()) {
      await session.commit();
      taken.push(...(await worker.take()));
    }
    expect(taken).toEqual(Array.from({ length: 12 }, (_, n) => `slow${String(11 - n)}:1`));
  });

  test('I02: floors that are dropped while a claim is under way stay dropped', async () => {
    await room.enqueue(writer, 'k', 1);
    const worker = await room.worker();
    const holder = await room.session();
    await holder.begin();
    await holder.query('select 1 from waybill.delivery for update');
    expect(await worker.take()).toEqual([]);
    await holder.query('lock table waybill.delivery in access exclusive mode');
    const claim = worker.claim();
    await untilBlocked(room.observer, worker.session, claim);
    worker.claimer.forget();
    await holder.rollback();
    await claim;
    expect(await worker.take(), 'a full scan').toEqual(['k:1']);
  });
});

describe('settlement', () => {
  test('W18 W06 W07: delivered records move to history, and only then are dispatched', async () => {
    await room.enqueue(writer, 'k', 1, 2);
    const worker = await room.worker();
    const [run] = (await worker.claim()).runs;
    expect(await record()).toMatchObject({ state: 'processing', completed_at: null, lease_owner: worker.owner });
    await worker.settle(run!);
    expect(await room.rows('k')).toEqual([]);
    expect(await record()).toMatchObject({
      state: 'dispatched',
      attempt: 1,
      pending_reason: null,
      next_attempt_at: null,
      last_error: null,
      completed_at: expect.any(Date) as Date,
      delivered_by: worker.owner,
      lease_owner: null,
    });
  });

  test('Q14 Q15 F003: a retry counts, waits in the database, and nothing of its key overtakes it', async () => {
    await room.enqueue(writer, 'k', 1, 2, 3);
    const worker = await room.worker();
    const [run] = (await worker.claim()).runs;
    await worker.settle(run!, 1, { then: 'retry', delayMs: 3_600_000, error: 'connection refused' });
    expect(await room.rows('k')).toEqual(['2 timed', '3 waiting']);
    worker.claimer.forget();
    expect(await worker.take(), 'no tight loop').toEqual([]);
    expect(await record(2)).toMatchObject({ state: 'pending', attempt: 1, last_error: 'connection refused' });
    expect(await record(3)).toMatchObject({ state: 'pending', attempt: 0, last_error: null });
    await makeDue();
    const [again] = (await worker.claim()).runs;
    expect(again?.records).toMatchObject([{ attempt: 1 }]);
    expect(again?.records[0]?.id, 'W30: the id survives').toBe(run?.records[1]?.id);
    await worker.settle(again!, 0, { then: 'retry', delayMs: 0, error: 'again' });
    expect(await record(2)).toMatchObject({ attempt: 2, last_error: 'again' });
  });

  test('W30: the id and the attempts survive retry after retry', async () => {
    await room.enqueue(writer, 'k', 1);
    const worker = await room.worker();
    const seen: unknown[] = [];
    for (let n = 0; n < 4; n += 1) {
      const [run] = (await worker.claim()).runs;
      seen.push([run?.records[0]?.id, run?.records[0]?.attempt]);
      await worker.settle(run!, 0, SECOND);
    }
    const id = (seen[0] as [string])[0];
    expect(seen).toEqual([0, 1, 2, 3].map((attempt) => [id, attempt]));
  });

  test('a release counts nothing, and may wait', async () => {
    await room.enqueue(writer, 'k', 1, 2);
    const worker = await room.worker();
    const [run] = (await worker.claim()).runs;
    await worker.settle(run!, 0, { then: 'release', delayMs: 3_600_000 });
    expect([await room.rows('k'), await record()]).toMatchObject([
      ['1 timed', '2 waiting'],
      { attempt: 0, last_error: null },
    ]);
    await makeDue();
    const [again] = (await worker.claim()).runs;
    await worker.settle(again!, 0, RELEASE);
    expect(await worker.take()).toEqual(['k:1,2']);
  });

  test('I07 W07: a dead letter counts its attempt, keeps its reason, and lets its key go on', async () => {
    await room.enqueue(writer, 'k', 1, 2, 3);
    const worker = await room.worker();
    const [run] = (await worker.claim()).runs;
    const position = run!.records[1]!.position;
    await worker.settle(run!, 1, { then: 'dead-letter', position, reason: 'refused', error: '404' });
    expect([await record(1), await record(2)]).toMatchObject([
      { state: 'dispatched' },
      {
        state: 'dead-letter',
        attempt: 1,
        last_error: '404',
        completed_at: expect.any(Date) as Date,
        delivered_by: worker.owner,
      },
    ]);
    expect(await worker.take()).toEqual(['k:3']);
  });

  test('a record without a key is retried, released and ended alone', async () => {
    const id = randomUUID();
    await room.query(
      `select * from waybill.enqueue(json_build_array(json_build_object('id', $1::text, 'type', 'test.note-taken', 'version', 1, 'payload', json '{"step":1}')))`,
      [id],
    );
    const worker = await room.worker();
    for (const next of [SECOND, RELEASE]) {
      const [run] = (await worker.claim()).runs;
      expect(await worker.settle(run!, 0, next)).toMatchObject({ status: 'settled', keptHead: null });
    }
    const [run] = (await worker.claim()).runs;
    expect(run?.records).toMatchObject([{ id, attempt: 1 }]);
    await worker.settle(run!);
    expect(await record()).toMatchObject({ state: 'dispatched', attempt: 2 });
  });
});

describe('fencing', () => {
  const STALE: Readonly<Record<string, Next>> = {
    acknowledge: RELEASE,
    retry: SECOND,
    release: RELEASE,
    keep: { then: 'keep' },
  };
  const AFTER: Readonly<Record<string, (worker: Awaited<ReturnType<typeof room.worker>>) => Promise<unknown>>> = {
    'while the next owner has it': async () => undefined,
    'after the next owner delivered it': async (worker) => worker.settle(await current(worker)),
    'after the next owner failed': async (worker) => worker.settle(await current(worker), 0, SECOND),
    'after the next owner gave it up': async (worker) => {
      const run = await current(worker);
      return worker.settle(run, 0, { then: 'dead-letter', position: run.head, reason: 'refused', error: 'no' });
    },
  };
  const runs = new Map<string, Parameters<Awaited<ReturnType<typeof room.worker>>['settle']>[0]>();
  const current = async (worker: { owner: string }) => runs.get(worker.owner)!;

  test.each(Object.keys(AFTER).flatMap((when) => Object.keys(STALE).map((what) => ({ what, when }))))(
    'W14 F004 I02: a stale $what changes nothing $when',
    async ({ what, when }) => {
      await room.enqueue(writer, 'k', 1, 2);
      const [stale, owner] = [await room.worker(), await room.worker()];
      const [lost] = (await stale.claim({ runLength: 1 })).runs;
      await room.expireLeases();
      const [taken] = (await owner.claim({ runLength: 1 })).runs;
      runs.set(owner.owner, taken!);
      await AFTER[when]?.(owner);
      const before = await room.query('select * from waybill.record order by enqueued_at, id');
      expect(await stale.settle(lost!, what === 'acknowledge' ? 1 : 0, STALE[what])).toEqual({
        head: lost?.head,
        status: 'lease-lost',
      });
      expect(
        await renew(stale.session, room.store(stale.session), { owner: stale.owner, leases: [lost!], leaseMs: 60_000 }),
      ).toEqual({
        renewed: new Set(),
        owned: new Set(),
      });
      expect(await room.query('select * from waybill.record order by enqueued_at, id')).toEqual(before);
    },
  );

  test('W14 F004: an owner that takes its own record again has lost its older claim', async () => {
    await room.enqueue(writer, 'k', 1);
    const worker = await room.worker();
    const [old] = (await worker.claim()).runs;
    await room.expireLeases();
    worker.claimer.forget();
    const [fresh] = (await worker.claim()).runs;
    expect(await worker.settle(old!)).toMatchObject({ status: 'lease-lost' });
    expect(await worker.settle(fresh!)).toMatchObject({ status: 'settled' });
  });

  describe('an accepted record without a key, which is settled in a shorter way', () => {
    const live = () => room.query('select * from waybill.delivery');
    async function enqueueKeyless(...steps: readonly number[]): Promise<void> {
      await writer.begin();
      await enqueueMany(
        writer.native,
        steps.map((step) => entry(ParcelMoved, { id: 'p', step }, { recordKey: '' })),
      );
      await writer.commit();
    }

    test('W14 I03: a process that lost it changes nothing', async () => {
      await enqueueKeyless(1);
      const [stale, owner] = [await room.worker(), await room.worker()];
      const [lost] = (await stale.claim()).runs;
      await room.expireLeases();
      const [taken] = (await owner.claim()).runs;
      const before = await live();
      // Under the fence of the new claim too: the fence alone is not enough.
      for (const run of [lost!, { ...lost!, fence: taken!.fence }])
        expect(await stale.settle(run)).toEqual({ head: lost?.head, status: 'lease-lost' });
      expect(await live()).toEqual(before);
      expect(await owner.settle(taken!)).toEqual({ head: taken?.head, status: 'settled', keptHead: null });
      expect([await live(), await record()]).toMatchObject([[], { state: 'dispatched', attempt: 1 }]);
    });

    test('W14 F004: an owner that takes it again has lost its older claim', async () => {
      await enqueueKeyless(1);
      const worker = await room.worker();
      const [old] = (await worker.claim()).runs;
      await room.expireLeases();
      worker.claimer.forget();
      const [fresh] = (await worker.claim()).runs;
      expect(await worker.settle(old!)).toMatchObject({ status: 'lease-lost' });
      expect(await worker.settle(fresh!)).toMatchObject({ status: 'settled' });
    });

    test('I02: a record that has a key is not settled so, whatever is said of it: what follows would never wake', async () => {
      await room.enqueue(writer, 'k', 1, 2);
      const worker = await room.worker();
      const [run] = (await worker.claim({ runLength: 1 })).runs;
      expect(await worker.settle({ ...run!, recordKey: '' })).toMatchObject({ status: 'lease-lost' });
      expect(await worker.settle(run!)).toMatchObject({ status: 'settled' });
      expect(await room.rows('k')).toEqual(['2 ready']);
    });

    test('W10: it is settled beside runs of other kinds, each with its own answer', async () => {
      await enqueueKeyless(1, 2);
      await room.enqueue(writer, 'k', 3, 4);
      const worker = await room.worker();
      const settlements = (await worker.claim({ runLength: 1 })).runs.map(({ records, ...run }) => ({
        ...run,
        delivered: records.map(({ position }) => position),
        next: RELEASE,
      }));
      const [first, second, keyed] = settlements;
      const given = [keyed!, { ...first!, fence: '9' }, second!];
      const results = await settle(worker.session, room.store(worker.session), worker.owner, given);
      expect(results.map(({ head, status }) => [head, status])).toEqual([
        [keyed!.head, 'settled'],
        [first!.head, 'lease-lost'],
        [second!.head, 'settled'],
      ]);
      expect(await room.rows('k')).toEqual(['4 ready']);
    });
  });

  test('I02: what is delivered counts only inside the run that was claimed', async () => {
    await room.enqueue(writer, 'k', 1, 2);
    await room.enqueue(writer, 'other', 3);
    const worker = await room.worker();
    const [run] = (await worker.claim({ runLength: 1, limit: 1 })).runs;
    const rows = await room.query('select position::text as position from waybill.delivery order by position');
    const beyond = {
      ...run!,
      records: rows.map((row) => ({ ...run!.records[0]!, position: String(row['position']) })),
    };
    await worker.settle(beyond);
    expect([await room.rows('k'), await room.rows('other')]).toEqual([['2 ready'], ['3 ready']]);
  });
});

describe('renewal', () => {
  const leases = { leaseMs: 120_000 };

  test('W14: prolongs what is still owned, and tells it from what is lost', async () => {
    await room.enqueue(writer, 'a', 1);
    await room.enqueue(writer, 'b', 1);
    const worker = await room.worker({ leaseMs: 30_000 });
    const { runs } = await worker.claim();
    const [a, b] = runs;
    await worker.settle(b!);
    const renewal = await renew(worker.session, room.store(worker.session), {
      owner: worker.owner,
      leases: runs,
      ...leases,
    });
    expect(renewal).toEqual({ renewed: new Set([a?.head]), owned: new Set([a?.head]) });
    expect(
      await room.query(
        `select lease_expires_at > clock_timestamp() + interval '100 seconds' as later from waybill.delivery`,
      ),
    ).toEqual([{ later: true }]);
  });

  test('I03 finding 8: a head that somebody locks is owned but not renewed, and nobody waits', async () => {
    await room.enqueue(writer, 'a', 1);
    const worker = await room.worker();
    const { runs } = await worker.claim();
    await writer.begin();
    await writer.query('select 1 from waybill.delivery for update');
    const renewal = await renew(worker.session, room.store(worker.session), {
      owner: worker.owner,
      leases: runs,
      ...leases,
    });
    expect(renewal).toEqual({ renewed: new Set(), owned: new Set([runs[0]?.head]) });
    await writer.rollback();
  });

  test('an expired lease that nobody took comes back to life', async () => {
    await room.enqueue(writer, 'a', 1);
    const [worker, other] = [await room.worker(), await room.worker()];
    const { runs } = await worker.claim();
    await room.expireLeases();
    await renew(worker.session, room.store(worker.session), { owner: worker.owner, leases: runs, ...leases });
    expect(await other.take()).toEqual([]);
    expect(
      await renew(worker.session, room.store(worker.session), { owner: worker.owner, leases: [], ...leases }),
    ).toEqual({ renewed: new Set(), owned: new Set() });
  });
});

describe('I06: a message never changes', () => {
  test.each([
    [`payload = '{}'`],
    ['id = gen_random_uuid()'],
    [`headers = '{}'`],
    [`tenant = 'x'`],
    ['occurred_at = now()'],
    [`record_key = 'Parcel/other'`],
  ])('I06: not by setting %s', async (assignment) => {
    await room.enqueue(writer, 'k', 1);
    await expect(room.query(`update waybill.message set ${assignment}`)).rejects.toMatchObject({ code: 'WB010' });
  });
});
