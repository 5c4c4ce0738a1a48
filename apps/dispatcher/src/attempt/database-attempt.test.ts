import type { PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Gate } from '../../test/gate.ts';
import { Outbox, startLoop } from '../../test/loop.ts';
import { NotifyOwner, WeighParcel } from '../../test/parcels.ts';
import { TcpProxy } from '../../test/tcp-proxy.ts';
import { handle } from '../routes/handle.ts';
import type { HandleContext, HandleRoute } from '../routes/route.ts';

type Weigh = (payload: { readonly parcel: string; readonly grams: number }, context: HandleContext) => unknown;

const weigh = (handler: Weigh, lockTimeoutMs = 5_000): HandleRoute =>
  handle(
    WeighParcel,
    async (payload, context) => {
      await handler(payload, context);
    },
    { lockTimeoutMs },
  );

const insert = (tx: PoolClient, parcel: string): Promise<unknown> =>
  tx.query('insert into effect (parcel) values ($1)', [parcel]);
const backendOf = async (tx: PoolClient): Promise<number> => {
  const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
};

let outbox: Outbox;
beforeAll(async () => {
  outbox = await Outbox.create();
  await outbox.query(
    'create table effect (parcel text, constraint once unique (parcel) deferrable initially deferred)',
  );
});
afterAll(() => outbox.close());
beforeEach(async () => {
  await outbox.query('truncate effect, waybill.delivery, waybill.dispatched, waybill.dead_letter');
});

const effects = async (): Promise<readonly unknown[]> =>
  (await outbox.query('select parcel from effect order by 1')).map(({ parcel }) => parcel);
const stateOf = async (id: string) => {
  const row = await outbox.record(id);
  return row === undefined ? undefined : { state: row.state, attempt: row.attempt, error: row.last_error };
};
/** Waits until the record has ended. */
const untilEnded = (id: string) =>
  outbox.until((rows) => rows.some((row) => row.id === id && ['dispatched', 'dead-letter'].includes(row.state)));

describe('Q12: effects and settlement in one transaction', () => {
  test('Q12: both commit together, and what the handler enqueues with them', async () => {
    const id = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    let visibleInside: unknown;
    startLoop(outbox, {
      routes: {
        weigh: weigh(async ({ parcel }, { tx, enqueue }) => {
          await insert(tx, parcel);
          await enqueue(NotifyOwner, { owner: 'o', text: parcel });
          visibleInside = await effects();
        }),
      },
    });
    await untilEnded(id);
    await outbox.untilDispatched(2);
    expect(visibleInside).toEqual([]);
    expect(await effects()).toEqual(['a']);
    expect(await stateOf(id)).toMatchObject({ state: 'dispatched', attempt: 1 });
  });

  test('Q12, Q15: a failed handler leaves no effect and a higher attempt; at the limit the record is dead', async () => {
    const id = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    const attempts: number[] = [];
    startLoop(outbox, {
      routes: {
        weigh: weigh(async ({ parcel }, { tx, message, enqueue }) => {
          attempts.push(message.attempt);
          await insert(tx, parcel);
          await enqueue(NotifyOwner, { owner: 'o', text: parcel });
          throw new Error('no scales');
        }),
      },
    });
    await untilEnded(id);
    expect(attempts).toEqual([1, 2, 3]);
    expect(await stateOf(id)).toEqual({
      state: 'dead-letter',
      attempt: 3,
      error: 'retry (handler-error): Error: no scales',
    });
    expect(await effects()).toEqual([]);
    // The message that the handler enqueued has no delivery.
    expect(await outbox.query('select from waybill.delivery')).toEqual([]);
  });

  test('Q12, Q15: a lock that is held ends the attempt with bookkeeping, and the worker is free', async () => {
    await outbox.query("insert into effect values ('locked')");
    const blocker = await outbox.pool.connect();
    await blocker.query('begin');
    await blocker.query("select * from effect where parcel = 'locked' for update");
    const id = await outbox.enqueue(WeighParcel, { parcel: 'locked', grams: 1 });
    startLoop(outbox, {
      routes: { weigh: weigh((_payload, { tx }) => tx.query("update effect set parcel = 'unlocked'"), 100) },
      settings: { retry: { maxAttempts: 1_000, baseMs: 100, factor: 1, capMs: 100 } },
    });
    await outbox.until((rows) => rows.some((row) => row.id === id && row.attempt >= 2));
    expect((await stateOf(id))?.error).toMatch(/^retry \(lock-timeout\)/);
    await blocker.query('rollback');
    blocker.release();
    await untilEnded(id);
    expect(await effects()).toEqual(['unlocked']);
  });

  test('Q12: a handler that swallows the error of a statement has not succeeded', async () => {
    const id = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    startLoop(outbox, {
      routes: {
        weigh: weigh(async ({ parcel }, { tx }) => {
          await insert(tx, parcel);
          await tx.query('select 1/0').catch(() => undefined);
        }),
      },
    });
    await untilEnded(id);
    expect(await stateOf(id)).toMatchObject({
      state: 'dead-letter',
      attempt: 3,
      error: expect.stringContaining('transaction-aborted') as string,
    });
    expect(await effects()).toEqual([]);
  });

  test('I02: a lost lease rolls everything back', async () => {
    const gate = new Gate();
    const id = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    let calls = 0;
    startLoop(outbox, {
      routes: {
        weigh: weigh(async ({ parcel }, { tx }) => {
          calls += 1;
          await insert(tx, `${parcel}${calls}`);
          if (calls === 1) await gate.pass();
        }),
      },
    });
    await gate.reached;
    // Somebody else takes the record over while the handler stands at the gate.
    await outbox.query(
      "update waybill.delivery set fence = fence + 1, lease_owner = gen_random_uuid(), lease_expires_at = now() + interval '300 milliseconds'",
    );
    gate.open();
    await untilEnded(id);
    expect(await effects()).toEqual(['a2']);
    expect(await stateOf(id)).toMatchObject({ state: 'dispatched', attempt: 1 });
  });
});

describe('Q13: the transaction itself fails', () => {
  test('Q13, Q15: a connection that is lost alone counts, and is written down over another one', async () => {
    const id = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    startLoop(outbox, {
      routes: {
        weigh: weigh(async ({ parcel }, { tx, message }) => {
          await insert(tx, parcel);
          if (message.attempt === 1) await outbox.query('select pg_terminate_backend($1)', [await backendOf(tx)]);
          await tx.query('select 1');
        }),
      },
    });
    await untilEnded(id);
    expect(await stateOf(id)).toMatchObject({
      state: 'dispatched',
      attempt: 2,
      error: expect.stringContaining('connection-lost') as string,
    });
    expect(await effects()).toEqual(['a']);
  });

  test('Q13: a commit that fails counts', async () => {
    await outbox.query("insert into effect values ('a')");
    const id = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    startLoop(outbox, { routes: { weigh: weigh(({ parcel }, { tx }) => insert(tx, parcel)) } });
    await untilEnded(id);
    expect(await stateOf(id)).toMatchObject({
      state: 'dead-letter',
      attempt: 3,
      error: expect.stringContaining('23505') as string,
    });
  });

  test('Q13: a handler that ends the transaction is found out, and the record is not settled with it', async () => {
    const id = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    startLoop(outbox, {
      routes: {
        weigh: weigh(async ({ parcel }, { tx, message }) => {
          await insert(tx, `${parcel}${message.attempt}`);
          if (message.attempt === 1) await tx.query('commit');
        }),
      },
    });
    await untilEnded(id);
    expect(await stateOf(id)).toMatchObject({
      state: 'dispatched',
      attempt: 2,
      error: expect.stringContaining('DSP_TRANSACTION_ENDED') as string,
    });
  });

  test('I10, F052: an outage of the store in the middle of a handler is charged to no record', async () => {
    await using proxy = await TcpProxy.before(outbox.url);
    const gate = new Gate();
    const id = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    const attempts: number[] = [];
    const loop = startLoop(outbox, {
      url: proxy.url,
      routes: {
        weigh: weigh(async ({ parcel }, { tx, message }) => {
          attempts.push(message.attempt);
          await insert(tx, parcel);
          if (attempts.length === 1) await gate.pass();
        }),
      },
    });
    await gate.reached;
    proxy.cut();
    gate.open();
    await loop.untilLogged('given back without an attempt');
    expect(loop.dispatcher.state()).toBe('degraded');
    proxy.restore();
    await untilEnded(id);
    expect(attempts).toEqual([1, 1]);
    expect(await stateOf(id)).toMatchObject({ state: 'dispatched', attempt: 1 });
    expect(await effects()).toEqual(['a']);
  });
});

test('Q13 W18: a COMMIT that the server answers with a rollback is no success, and counts as a failed attempt', async () => {
  const id = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
  const answers: string[] = [];
  startLoop(outbox, {
    routes: { weigh: weigh(({ parcel }, { tx }) => insert(tx, parcel)) },
    wrapConnection: (connection) => ({
      ...connection,
      async commit() {
        if (answers.length === 0) await connection.native.query('select 1/0').catch(() => undefined);
        const answer = await connection.commit();
        answers.push(answer);
        return answer;
      },
    }),
  });
  await untilEnded(id);
  expect(answers).toEqual(['rolled-back', 'committed']);
  expect(await effects()).toEqual(['a']);
  expect(await stateOf(id)).toEqual({
    state: 'dispatched',
    attempt: 2,
    error: expect.stringContaining('transaction-failed') as string,
  });
});

describe('the lent connection', () => {
  test('a handler that goes on after its end cannot touch what comes next on the connection', async () => {
    const late = new Gate<unknown>();
    const ended = new Gate();
    const id = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    startLoop(outbox, {
      routes: {
        weigh: weigh((_payload, { tx }) => {
          void ended.opened.then(() => {
            try {
              late.open(tx.query('select 1'));
            } catch (error) {
              late.open(error);
            }
          });
        }),
      },
    });
    await untilEnded(id);
    ended.open();
    expect(await late.opened).toBeInstanceOf(TypeError);
  });

  test('releasing it is refused, and is a failed attempt like any other', async () => {
    const id = await outbox.enqueue(WeighParcel, { parcel: 'a', grams: 1 });
    startLoop(outbox, { routes: { weigh: weigh((_payload, { tx }) => tx.release()) } });
    await untilEnded(id);
    expect((await stateOf(id))?.error).toContain('DSP_CLIENT_NOT_YOURS');
  });
});

test('I03: within a run each record commits by itself, in order, and a failure gives the rest back', async () => {
  const ids: string[] = [];
  for (let grams = 1; grams <= 5; grams += 1) ids.push(await outbox.enqueue(WeighParcel, { parcel: 'run', grams }));
  const seen: string[] = [];
  startLoop(outbox, {
    routes: {
      weigh: weigh(async ({ grams }, { tx, message }) => {
        seen.push(`${grams}.${message.attempt}`);
        await insert(tx, `run${grams}`);
        if (grams === 3 && message.attempt === 1) throw new Error('once');
      }),
    },
  });
  await outbox.untilDispatched(5);
  expect(seen).toEqual(['1.1', '2.1', '3.1', '3.2', '4.1', '5.1']);
  expect(await effects()).toEqual(['run1', 'run2', 'run3', 'run4', 'run5']);
});
