import type { Transport } from '@waybill/transports';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Gate } from '../../test/gate.ts';
import { type LoopOptions, Outbox, startLoop } from '../../test/loop.ts';
import { MoveParcel, WeighParcel } from '../../test/parcels.ts';
import { TcpProxy } from '../../test/tcp-proxy.ts';
import { call } from '../routes/call.ts';
import { publish } from '../routes/publish.ts';

const leaseOf = async (outbox: Outbox, id: string) =>
  (
    await outbox.query(
      `select d.fence::text, d.lease_owner::text, d.attempt, d.lease_expires_at > now() as alive
       from waybill.delivery d join waybill.message m using (seq) where m.id = $1`,
      [id],
    )
  )[0];

const untilOlderThan = async (outbox: Outbox, id: string, age: string): Promise<void> => {
  const text = 'select from waybill.message where id = $1 and clock_timestamp() - enqueued_at > $2::interval';
  await expect.poll(() => outbox.query(text, [id, age])).toHaveLength(1);
};

describe('claims', () => {
  test('W12, Q03, Q04: the claim is committed, with owner, expiry and fence, before the handler begins', async () => {
    const outbox = await Outbox.forTest();
    let seen: unknown;
    let id = '';
    const weigh = call(WeighParcel, async () => {
      seen = await leaseOf(outbox, id);
    });
    id = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    const loop = startLoop(outbox, { routes: { weigh } });
    await outbox.untilDispatched(1);
    expect(seen).toEqual({ fence: '1', lease_owner: loop.owners[0], attempt: 0, alive: true });
  });

  test('W13, W18, I04: no transaction is open during a network call, and nothing is dispatched before the target accepted it', async () => {
    const outbox = await Outbox.forTest();
    const gate = new Gate();
    const target: Transport = {
      name: 'gated',
      capabilities: {
        dedup: 'none',
        dedupWindowMs: null,
        ordering: 'none',
        maxBatch: 1,
        partialResults: false,
        maxBytes: 1e6,
      },
      publish: async () => {
        await gate.pass();
        return [{ outcome: 'accepted', receipt: null, duplicate: false }];
      },
      probe: () => Promise.resolve({ status: 'reachable', warnings: [] }),
      close: () => Promise.resolve(),
    };
    const [id = ''] = await outbox.moves('a', 1);
    const loop = startLoop(outbox, { routes: { moved: publish(MoveParcel, { to: target }) } });
    await gate.reached;
    const open = await outbox.query(
      "select state, query from pg_stat_activity where application_name like $1 and state in ('idle in transaction', 'idle in transaction (aborted)')",
      [`${loop.applicationName}%`],
    );
    expect(open).toEqual([]);
    expect((await outbox.record(id))?.state).toBe('processing');
    gate.open();
    await outbox.untilDispatched(1);
  });

  test('W15, I01: what a dead process has claimed is taken over once its lease has run out, without a lost attempt', async () => {
    const outbox = await Outbox.forTest();
    const gate = new Gate();
    const calls: string[] = [];
    const hanging = call(WeighParcel, async (_payload, { message }) => {
      calls.push(`${message.attempt}/${message.fence}`);
      await gate.pass();
    });
    const id = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    const first = startLoop(outbox, {
      routes: { weigh: hanging },
      settings: { lease: { leaseMs: 3_000, renewEveryMs: 1_000 } },
    });
    await gate.reached;
    // Neither settles nor releases, as after a SIGKILL.
    first.dispatcher.abort();
    const after: LoopOptions = {
      routes: {
        weigh: call(WeighParcel, (_payload, { message }) => void calls.push(`${message.attempt}/${message.fence}`)),
      },
      settings: { lease: { leaseMs: 3_000, renewEveryMs: 1_000 } },
    };
    // What was in hand of a process that died goes to the one that handles suspects; all else goes to any.
    const second = startLoop(outbox, after);
    startLoop(outbox, { ...after, suspects: { role: 'handle', onNone: () => {} } });
    await outbox.untilDispatched(1);
    expect(calls).toEqual(['1/1', '1/2']);
    expect(second.owners).toHaveLength(1);
    expect((await outbox.record(id))?.attempt).toBe(1);
  });

  test('F016, F064, Q04, Q05: a slow handler keeps its lease, and nothing waits behind it that another dispatcher could take', async () => {
    const outbox = await Outbox.forTest();
    const gate = new Gate();
    const calls: string[] = [];
    const handler = (name: string) =>
      call(WeighParcel, async ({ parcel, grams }) => {
        calls.push(`${name} ${parcel} ${grams}`);
        if (parcel === 'slow' && grams === 1) await gate.pass();
      });
    // Renewed ten times before it would run out, so that a process which gets no time for a while keeps it.
    const lease = { leaseMs: 3_000, renewEveryMs: 300 };
    const id = await outbox.enqueue(WeighParcel, { parcel: 'slow', grams: 1 });
    await outbox.enqueue(WeighParcel, { parcel: 'slow', grams: 2 });
    startLoop(outbox, {
      routes: { weigh: handler('first') },
      settings: { lease, workers: { concurrency: 1, runLength: 50 } },
    });
    await gate.reached;
    startLoop(outbox, { routes: { weigh: handler('second') }, settings: { lease } });
    await outbox.enqueue(WeighParcel, { parcel: 'free', grams: 1 });
    await outbox.untilDispatched(1);
    await untilOlderThan(outbox, id, '4 seconds');
    expect(calls).toEqual(['first slow 1', 'second free 1']);
    gate.open();
    await outbox.untilDispatched(3);
    expect(calls.map((line) => line.slice(line.indexOf(' ')))).toEqual([' slow 1', ' free 1', ' slow 2']);
  });
});

describe('a process that cannot renew', () => {
  test('F004, W16, I02, I03: stops before its lease ends; its late success is fenced; one acceptance counts', async () => {
    const outbox = await Outbox.forTest();
    await using proxy = await TcpProxy.before(outbox.url);
    const gate = new Gate();
    const log: string[] = [];
    // A fifth of it is left when the signal fires, for the look at the database that follows.
    const lease = { leaseMs: 5_000, renewEveryMs: 1_000 };
    const stopped = new Gate<boolean>();
    const slow = call(WeighParcel, async ({ grams }, { signal }) => {
      log.push(`first ${grams}`);
      signal.addEventListener(
        'abort',
        () => void leaseOf(outbox, id).then((row) => stopped.open(row?.['alive'] === true)),
      );
      await gate.pass();
    });
    const id = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 2 });
    const first = startLoop(outbox, { heartbeatUrl: proxy.url, routes: { weigh: slow }, settings: { lease } });
    await gate.reached;
    proxy.cut();
    // The signal fired while the database still showed the lease as alive: nobody else could have begun.
    expect(await stopped.opened).toBe(true);
    await first.untilLogged(/could not be renewed in time/);
    const after: LoopOptions = {
      routes: { weigh: call(WeighParcel, ({ grams }) => void log.push(`second ${grams}`)) },
      settings: { lease },
    };
    const second = startLoop(outbox, after);
    // By what the store can see the first one has died with the record in hand, so that record is handled alone.
    const alone = startLoop(outbox, { ...after, suspects: { role: 'handle', onNone: () => {} } });
    await outbox.untilDispatched(2);
    gate.open();
    await first.untilLogged('delivered');
    expect(first.dispatcher.state()).toBe('degraded');
    const rows = await outbox.query('select dispatched_by::text as owner from waybill.dispatched order by position');
    expect(rows).toEqual([{ owner: alone.owners[0] }, { owner: second.owners[0] }]);
    // The rest of the run was not started by the one who had lost it.
    expect(log).toEqual(['first 1', 'second 1', 'second 2']);
  });

  test('F039: a handler that blocks the event loop for longer than the lease is told as soon as the loop turns', async () => {
    const outbox = await Outbox.forTest();
    const stopped = new Gate();
    const calls: string[] = [];
    const weigh = call(WeighParcel, async ({ grams }, { signal }) => {
      calls.push(String(grams));
      if (calls.length > 1) return;
      const until = performance.now() + 1_500;
      while (performance.now() < until);
      // It cannot have fired yet: nothing else has run since.
      expect(signal.aborted).toBe(false);
      signal.addEventListener('abort', () => stopped.open());
      await stopped.opened;
    });
    const id = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    startLoop(outbox, { routes: { weigh }, settings: { lease: { leaseMs: 1_000, renewEveryMs: 300 } } });
    await stopped.opened;
    await outbox.untilDispatched(1);
    const rows = await outbox.query('select attempt from waybill.dispatched');
    expect(rows).toHaveLength(1);
    expect((await outbox.record(id))?.state).toBe('dispatched');
  });
});

describe('I08, F003: order', () => {
  test('F003, W23: the younger records of a key wait for the retry of their head, with one worker as with many, and are charged nothing', async () => {
    const outbox = await Outbox.forTest();
    const calls: string[] = [];
    const moved = call(MoveParcel, ({ parcel, step }, { message }) => {
      calls.push(`${parcel}${step}`);
      return step === 1 && message.attempt < 3 ? { outcome: 'retry', class: 'not-yet' } : undefined;
    });
    await outbox.moves('a', 3);
    startLoop(outbox, { routes: { moved } });
    startLoop(outbox, { routes: { moved } });
    const rows = await outbox.untilDispatched(3);
    expect(calls).toEqual(['a1', 'a1', 'a1', 'a2', 'a3']);
    expect(rows.map(({ attempt }) => attempt).sort()).toEqual([1, 1, 3]);
  });

  test('I07, W20: attempts end, a refusal at once, and the key goes on behind a dead head', async () => {
    const outbox = await Outbox.forTest();
    const moved = call(MoveParcel, ({ step }) => {
      if (step === 1) return { outcome: 'refused', class: 'gone', detail: 'no such parcel' };
      if (step === 2) throw new Error('always');
      return undefined;
    });
    await outbox.moves('a', 3);
    startLoop(outbox, { routes: { moved } });
    const rows = await outbox.until((all) => all.every(({ state }) => ['dispatched', 'dead-letter'].includes(state)));
    expect(rows.map(({ state, attempt, last_error }) => [state, attempt, last_error])).toEqual([
      ['dead-letter', 1, 'refused (gone): no such parcel'],
      ['dead-letter', 3, 'retry (handler-error): Error: always'],
      ['dispatched', 1, null],
    ]);
  });

  test('I08: a stuck key delays only itself', async () => {
    const outbox = await Outbox.forTest();
    const moved = call(MoveParcel, ({ parcel }) =>
      parcel === 'stuck' ? { outcome: 'retry', class: 'x', afterMs: 3_600_000 } : undefined,
    );
    await outbox.moves('stuck', 30);
    startLoop(outbox, { routes: { moved } });
    for (const parcel of ['a', 'b', 'c', 'd', 'e']) await outbox.moves(parcel, 3);
    const rows = await outbox.untilDispatched(15);
    expect(rows.filter(({ attempt }) => attempt > 0 && attempt !== 1)).toEqual([]);
  });

  test.each(['9', '99', '9007199254740991'])('F037: positions around %s are kept apart and in order', async (start) => {
    const outbox = await Outbox.forTest();
    await outbox.query("select setval('waybill.position_seq', $1::bigint)", [start]);
    const steps: number[] = [];
    await outbox.moves('a', 4);
    startLoop(outbox, { routes: { moved: call(MoveParcel, ({ step }) => void steps.push(step)) } });
    await outbox.untilDispatched(4);
    expect(steps).toEqual([1, 2, 3, 4]);
    const [row] = await outbox.query('select max(position)::text as last from waybill.dispatched');
    expect(row?.['last']).toBe(String(BigInt(start) + 4n));
  });
});

test.each([
  ['fast', 600_000],
  ['slow', -600_000],
])('F019: a host whose clock is ten minutes %s neither steals a lease nor moves a retry', async (_name, skewMs) => {
  const outbox = await Outbox.forTest();
  const gate = new Gate();
  const held = await outbox.enqueue(WeighParcel, { parcel: 'held', grams: 1 });
  // Its only worker stands at the gate, so the other records are the second's.
  const workers = { concurrency: 1, runLength: 1 };
  const first = startLoop(outbox, { routes: { weigh: call(WeighParcel, () => gate.pass()) }, settings: { workers } });
  await gate.reached;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + skewMs });
  onTestFinished(() => void vi.useRealTimers());
  const taken: string[] = [];
  const weigh = call(WeighParcel, ({ parcel }) => {
    taken.push(parcel);
    return { outcome: 'retry', class: 'later', afterMs: 3_600_000 };
  });
  const second = startLoop(outbox, { routes: { weigh } });
  await second.untilRunning();
  await outbox.enqueue(WeighParcel, { parcel: 'failing', grams: 1 });
  await outbox.until((rows) => rows.some(({ attempt }) => attempt === 1));
  const [retry] = await outbox.query(
    "select due_at - clock_timestamp() between interval '55 minutes' and interval '60 minutes' as good from waybill.delivery where attempt = 1",
  );
  expect(retry).toEqual({ good: true });
  expect(taken).toEqual(['failing']);
  expect((await outbox.record(held))?.lease_owner).toBe(first.owners[0]);
  gate.open();
  await outbox.untilDispatched(1);
});
