import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, test } from 'vitest';

import { ANNA } from '../../test/dead.ts';
import { DRIVERS } from '../../test/drivers.ts';
import { ParcelMoved } from '../../test/messages.ts';
import { openRoom } from '../../test/room.ts';
import { registerContracts } from '../contracts.ts';
import { outbox } from '../drivers/pg.ts';
import type { EnqueueOptions } from '../enqueue/options.ts';
import { type EnqueueEntry, entry } from '../enqueue/prepare.ts';
import { declareReader, withdrawReader } from '../operators/declare-reader.ts';
import { allowWrites, pinVersion, unpinVersion } from '../operators/version-pin.ts';
import { leaveDispatcher, registerDispatcher } from '../statements/dispatcher-registry.ts';
import { rampPlace } from './ramp.ts';
import { UnwritableVersionError } from './unwritable-error.ts';

const room = await openRoom();
const store = room.store(room.observer);
const TYPE = ParcelMoved.type;
/** The same type with a way back to version 1. */
const Reversible = { ...ParcelMoved, downcast: { 2: ({ id }: { id: string }) => ({ id }) } } as typeof ParcelMoved;
const LATER = new Date(Date.now() + 3_600_000);

const contracts = await registerContracts(
  store,
  [1, 2].map((version) => ({ type: TYPE, version, kind: ParcelMoved.kind })),
  'test',
);
const idsOf = (...versions: number[]): number[] => versions.map((version) => contracts.get(`${TYPE}@${version}`) ?? 0);

async function run(build: string, ...versions: number[]): Promise<string> {
  const id = randomUUID();
  await registerDispatcher(store, { id, build, contractIds: idsOf(...versions) });
  return id;
}

/** A service with what it remembers of the registry: each call is one transaction. */
async function openService() {
  const session = await room.session();
  const box = outbox();
  let statements = 0;
  const original = session.native.query.bind(session.native);
  const counted = Object.assign(Object.create(session.native) as typeof session.native, {
    query: (...args: Parameters<typeof original>): unknown => {
      statements += 1;
      // eslint-disable-next-line @typescript-eslint/no-confusing-void-expression, @typescript-eslint/no-misused-promises -- the overloads of pg give a promise or nothing; what they give is passed on
      return Reflect.apply(original, undefined, args);
    },
  });
  const inTransaction = async <T>(fn: () => Promise<T>): Promise<T> => {
    await session.begin();
    statements = 0;
    try {
      return await fn();
    } finally {
      await session.commit();
    }
  };
  const enqueue = (message: typeof ParcelMoved, options: EnqueueOptions = {}, id = 'a') =>
    inTransaction(() => box.enqueue(counted, message, { id, step: 1 }, options));
  return {
    enqueue,
    enqueueMany: (entries: readonly EnqueueEntry[]) => inTransaction(() => box.enqueueMany(counted, entries)),
    write: async (...call: Parameters<typeof enqueue>) => (await enqueue(...call)).version,
    statements: () => statements,
  };
}

const refusal = (promise: Promise<unknown>): Promise<UnwritableVersionError> =>
  promise.then(
    (value) => {
      throw new Error(`expected a refusal, got ${String(value)}`);
    },
    (error: unknown) => {
      expect(error).toBeInstanceOf(UnwritableVersionError);
      return error as UnwritableVersionError;
    },
  );

afterEach(async () => {
  await room.clear();
  await room.query('truncate waybill.reader, waybill.version_pin, waybill.write_override');
});
afterAll(() => room[Symbol.asyncDispose]());

describe('the written version', () => {
  test('V03 W32: before the first registration ever the newest version is written', async () => {
    expect(await (await openService()).write(ParcelMoved)).toBe(2);
  });

  test('V03 W32: while an older build runs, its version is written, and the newest one as soon as it has left', async () => {
    const service = await openService();
    const old = await run('old', 1);
    await run('new', 1, 2);
    expect(await service.write(Reversible)).toBe(1);
    expect(await service.write(Reversible)).toBe(1);
    expect(service.statements(), 'one round trip while the answer is fresh').toBe(1);
    expect(await room.query('select payload::text from waybill.message limit 1')).toEqual([{ payload: '{"id":"a"}' }]);
    await leaveDispatcher(store, old);
    expect(await (await openService()).write(Reversible)).toBe(2);
  });

  test('S01 V03: the same id is a repeat whatever version it was written in, and whatever may be written now', async () => {
    const [newer, older] = [randomUUID(), randomUUID()];
    const fresh = await run('new', 1, 2);
    const service = await openService();
    expect(await service.enqueue(Reversible, { id: newer })).toMatchObject({ version: 2, created: true });

    const old = await run('old', 1);
    expect(await service.enqueue(Reversible, { id: newer })).toEqual({ id: newer, version: 2, created: false });
    expect(await service.enqueue(Reversible, { id: older })).toMatchObject({ version: 1, created: true });
    // Nothing leads down to version 1 here, yet nothing has to be written either.
    expect(await service.enqueue(ParcelMoved, { id: newer })).toEqual({ id: newer, version: 2, created: false });
    await expect(service.enqueue(Reversible, { id: newer }, 'b')).rejects.toMatchObject({ code: 'STO_ID_CONFLICT' });
    await refusal(service.enqueue(ParcelMoved, { id: newer }, 'b'));

    await leaveDispatcher(store, old);
    const later = await openService();
    expect(await later.enqueue(Reversible, { id: older })).toEqual({ id: older, version: 1, created: false });
    await expect(later.enqueue(Reversible, { id: older, tenant: 'other' })).rejects.toMatchObject({
      code: 'STO_ID_CONFLICT',
    });
    await leaveDispatcher(store, fresh);
    expect(await room.query('select count(*)::integer as n from waybill.message')).toEqual([{ n: 2 }]);
  });

  test('S01 V03: in a bulk enqueue what is there already needs no permission, and the rest is written in its order', async () => {
    const [there, first, last] = [randomUUID(), randomUUID(), randomUUID()];
    await run('new', 1, 2);
    const service = await openService();
    await service.enqueue(ParcelMoved, { id: there });
    await run('old', 1);
    const many = await service.enqueueMany([
      entry(Reversible, { id: 'a', step: 1 }, { id: first }),
      entry(ParcelMoved, { id: 'a', step: 1 }, { id: there }),
      entry(Reversible, { id: 'a', step: 1 }, { id: last }),
    ]);
    expect(many).toEqual([
      { id: first, version: 1, created: true },
      { id: there, version: 2, created: false },
      { id: last, version: 1, created: true },
    ]);
    expect(await room.rows('a')).toHaveLength(3);
  });

  test('V03: in the steady state an enqueue is one round trip', async () => {
    await run('new', 1, 2);
    const service = await openService();
    await service.write(ParcelMoved);
    expect(service.statements()).toBe(1);
  });

  test('V03 W32: without a downcast it is refused by name, nothing is written, and the transaction goes on', async () => {
    const old = await run('shop@1.0.0', 1);
    await run('shop@2.0.0', 1, 2);
    const service = await openService();
    const error = await refusal(service.write(ParcelMoved));
    expect(error).toMatchObject({
      code: 'STO_VERSION_UNWRITABLE',
      type: TYPE,
      version: 2,
      why: 'unreadable',
      blockers: [{ source: 'dispatcher', id: old, build: 'shop@1.0.0' }],
    });
    expect(error.message).toContain('shop@1.0.0');
    await refusal(service.write(Reversible, { whenUnreadable: 'refuse' }));
    expect(await room.query('select count(*)::integer as n from waybill.message')).toEqual([{ n: 0 }]);
  });

  test('V03: a service that downcasts comes back to the newest version within seconds, by the clock of the database', async () => {
    const session = await room.session();
    const box = outbox();
    const write = async () => {
      await session.begin();
      const { version } = await box.enqueue(session.native, Reversible, { id: 'a', step: 1 });
      await session.commit();
      return version;
    };
    const old = await run('old', 1);
    await run('new', 1, 2);
    expect(await write()).toBe(1);
    await leaveDispatcher(store, old);
    expect(await write(), 'the answer is fresh').toBe(1);
    // The answers carry the database's time: six seconds pass.
    const query = session.native.query.bind(session.native);
    Reflect.set(session.native, 'query', async (text: string, values: unknown[]) => {
      const result = await query(text, values);
      for (const row of result.rows as Record<string, unknown>[])
        if (typeof row['answer'] === 'string')
          row['answer'] = row['answer'].replace(/[0-9]+$/, (at) => String(Number(at) + 6_000));
      return result;
    });
    expect(await write()).toBe(1);
    expect(await write()).toBe(2);
    Reflect.set(session.native, 'query', query);
  });

  test('V03 W32: a service that was refused is not refused by what it remembers', async () => {
    const old = await run('old', 1);
    await run('new', 1, 2);
    const service = await openService();
    await refusal(service.write(ParcelMoved));
    await leaveDispatcher(store, old);
    expect(await service.write(ParcelMoved)).toBe(2);
  });

  test('V03 W32: writing anyway needs the word of an operator, which is kept, and expires', async () => {
    await run('old', 1);
    await run('new', 1, 2);
    const service = await openService();
    const anyway = { whenUnreadable: 'write-anyway' } as const;
    expect((await refusal(service.write(ParcelMoved, anyway))).message).toContain('no operator has allowed');
    await allowWrites(store, { type: TYPE, version: 2, until: new Date(0) }, ANNA);
    await refusal((await openService()).write(ParcelMoved, anyway));
    await allowWrites(store, { type: TYPE, version: 2, until: LATER }, ANNA);
    expect(await (await openService()).write(ParcelMoved, anyway)).toBe(2);
    await refusal((await openService()).write(ParcelMoved));
    expect(
      await room.query(
        `select action, actor, reason, what->'selection' as what from waybill.audit order by id desc limit 1`,
      ),
    ).toEqual([{ action: 'allow-writes', ...ANNA, what: { type: TYPE, version: 2 } }]);
  });

  test('V03: a declared rollback target counts until it expires or is withdrawn, and only for the types that it knows', async () => {
    await run('new', 1, 2);
    const id = await declareReader(store, { build: 'shop@1', reads: { [TYPE]: [1] }, until: LATER }, ANNA);
    await declareReader(store, { build: 'billing@1', reads: { 'test.other': [1] }, until: LATER }, ANNA);
    await declareReader(store, { build: 'past@1', reads: { [TYPE]: [] }, until: new Date(0) }, ANNA);
    const error = await refusal((await openService()).write(ParcelMoved));
    expect(error.blockers).toEqual([{ source: 'declared', id, build: 'shop@1' }]);
    expect(await (await openService()).write(Reversible)).toBe(1);
    expect(await withdrawReader(store, id, ANNA)).toBe('withdrawn');
    expect(await (await openService()).write(ParcelMoved)).toBe(2);
  });

  test('V02 W32: a missed heartbeat opens nothing: a silent build counts for twelve heartbeats', async () => {
    const old = await run('old', 1);
    await run('new', 1, 2);
    const silentFor = (seconds: number) =>
      room.query(`update waybill.dispatcher set seen_at = clock_timestamp() - $2 * interval '1 second' where id = $1`, [
        old,
        seconds,
      ]);
    await silentFor(110);
    await refusal((await openService()).write(ParcelMoved));
    await silentFor(130);
    expect(await (await openService()).write(ParcelMoved)).toBe(2);
  });

  test('V02 W32: while no build is there, the last ones that were seen stand for it', async () => {
    const older = await run('old', 1);
    const newer = await run('new', 1, 2);
    for (const id of [newer, older]) await leaveDispatcher(store, id);
    const error = await refusal((await openService()).write(ParcelMoved));
    expect(error.blockers).toEqual([{ source: 'last-seen', id: older, build: 'old' }]);
    await run('new', 1, 2);
    expect(await (await openService()).write(ParcelMoved)).toBe(2);
  });

  test('W32: once there are builds, a type that none of them has ever read is not written', async () => {
    await registerDispatcher(store, { id: randomUUID(), build: 'other', contractIds: [] });
    const error = await refusal((await openService()).write(ParcelMoved));
    expect(error.blockers.map(({ source }) => source)).toEqual(['nobody']);
  });

  test('V03: a pin holds at once and is audited, a ramp goes by key, and a key keeps its side', async () => {
    await run('new', 1, 2);
    const service = await openService();
    expect(await service.write(Reversible)).toBe(2);
    await pinVersion(store, { type: TYPE, version: 1 }, ANNA);
    expect(await service.write(Reversible), 'in the service that has just written version 2').toBe(1);
    expect((await refusal(service.write(ParcelMoved))).why).toBe('pinned');

    await pinVersion(store, { type: TYPE, version: 2, percent: 40 }, ANNA);
    const ramped = await openService();
    for (let n = 0; n < 20; n += 1) {
      const expected = rampPlace(`Parcel/${n}`) < 40 ? 2 : 1;
      expect(await ramped.write(Reversible, {}, String(n))).toBe(expected);
    }
    expect(await unpinVersion(store, TYPE, ANNA)).toEqual({ before: { version: 2, percent: 40 } });
    expect(await (await openService()).write(Reversible)).toBe(2);
    expect(await room.query('select action, before from waybill.audit order by id')).toEqual([
      { action: 'pin-version', before: null },
      { action: 'pin-version', before: { version: 1, percent: 100 } },
      { action: 'unpin-version', before: { version: 2, percent: 40 } },
    ]);
  });

  test('V03: the database computes the same places of a ramp', async () => {
    const keys = Array.from({ length: 200 }, (_, n) => `Ünit/${n}`);
    const rows = await room.query(
      'select waybill.ramp_place(k) as place from unnest($1::text[]) with ordinality u (k, n) order by n',
      [keys],
    );
    expect(rows.map((row) => row['place'])).toEqual(keys.map(rampPlace));
  });

  test('W32: SQL callers that do not negotiate are refused by an error that names the reason', async () => {
    await run('old', 1);
    const call = room.query(`select * from waybill.enqueue('[{"type":"${TYPE}","version":2,"payload":{}}]')`);
    await expect(call).rejects.toMatchObject({ code: 'WB020', message: `${TYPE}@2 may not be written: unreadable` });
  });
});

describe.each(DRIVERS)('with $driver', ({ connect }) => {
  const driver = connect(room.url);
  afterAll(() => driver.close());

  test.each(['read committed', 'repeatable read', 'serializable'])(
    'V03: bulk under %s writes each type as it may be',
    async (isolation) => {
      await run('old', 1);
      const versions = await driver.transaction(
        (unit) =>
          unit.enqueueMany([1, 2, 3].map((n) => ({ message: Reversible, payload: { id: String(n), step: n } }))),
        { isolation },
      );
      expect(versions.map(({ version }) => version)).toEqual([1, 1, 1]);
    },
  );
});
