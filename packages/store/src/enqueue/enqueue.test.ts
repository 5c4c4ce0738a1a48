import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, test } from 'vitest';

import { DRIVERS } from '../../test/drivers.ts';
import { NoteTaken, ParcelMoved } from '../../test/messages.ts';
import { openRoom } from '../../test/room.ts';
import { entry } from './prepare.ts';

const room = await openRoom();
await room.query('create table parcel (id text primary key)');
afterEach(() => room.clear());
afterAll(() => room[Symbol.asyncDispose]());

const count = async (table: string): Promise<number> =>
  Number((await room.query(`select count(*)::integer as n from ${table}`))[0]?.['n']);
const abort = new Error('the business changed its mind');

describe.each(DRIVERS)('enqueue on $driver', ({ connect }) => {
  const driver = connect(room.url);
  afterAll(() => driver.close());
  afterEach(() => room.query('truncate parcel'));

  test('W04: the message and the business row commit together', async () => {
    await driver.transaction(async (unit) => {
      await unit.query(`insert into parcel values ('a')`);
      await unit.enqueue(ParcelMoved, { id: 'a', step: 1 });
      expect(await count('waybill.record'), 'nothing is visible before the commit').toBe(0);
    });
    expect([await count('parcel'), await count('waybill.record'), await count('waybill.delivery')]).toEqual([1, 1, 1]);
  });

  test('W04: neither is there after a rollback', async () => {
    const rolledBack = driver.transaction(async (unit) => {
      await unit.query(`insert into parcel values ('a')`);
      await unit.enqueue(ParcelMoved, { id: 'a', step: 1 });
      throw abort;
    });
    await expect(rolledBack).rejects.toBe(abort);
    expect([await count('parcel'), await count('waybill.message'), await count('waybill.delivery')]).toEqual([0, 0, 0]);
  });

  test('W04: a message of a savepoint goes away with it, the rest stays', async () => {
    await driver.transaction(async (unit) => {
      await unit.enqueue(ParcelMoved, { id: 'a', step: 1 });
      const undone = unit.savepoint(async (inner) => {
        await inner.enqueue(ParcelMoved, { id: 'a', step: 2 });
        throw abort;
      });
      await expect(undone).rejects.toBe(abort);
      await unit.enqueue(ParcelMoved, { id: 'a', step: 3 });
    });
    expect(await room.rows('a')).toEqual(['1 ready', '3 waiting']);
  });

  test('W05 W06 W25: one message becomes one record that says all of it', async () => {
    const id = randomUUID();
    const occurredAt = new Date('2024-02-29T12:34:56.789Z');
    const enqueued = await driver.transaction((unit) =>
      unit.enqueue(
        ParcelMoved,
        { id: 'ü', step: 7 },
        { id, tenant: 'acme', occurredAt, headers: { traceparent: '00-1' } },
      ),
    );
    expect(enqueued).toEqual({ id, version: 2, created: true });
    expect(await room.query('select * from waybill.record')).toEqual([
      {
        id,
        kind: 'integration-event',
        type: 'test.parcel-moved',
        schema_version: 2,
        occurred_at: occurredAt,
        enqueued_at: expect.any(Date) as Date,
        tenant: 'acme',
        record_key: 'Parcel/ü',
        event: 'EVT-PARCEL-MOVED',
        headers: { traceparent: '00-1' },
        payload: { id: 'ü', step: 7 },
        state: 'pending',
        pending_reason: 'no-reader',
        attempt: 0,
        next_attempt_at: expect.any(Date) as Date,
        last_error: null,
        completed_at: null,
        lease_owner: null,
        lease_expires_at: null,
        fence: null,
        written_by: null,
        delivered_by: null,
      },
    ]);
  });

  test('W06: what the caller leaves out is filled in, its time by the clock of the database', async () => {
    const { id } = await driver.transaction((unit) => unit.enqueue(NoteTaken, { value: 1 }));
    const [row] = await room.query(
      `select tenant, headers, event, record_key, occurred_at between clock_timestamp() - interval '1 minute' and clock_timestamp() as recent from waybill.record where id = $1::uuid`,
      [id],
    );
    expect(row).toEqual({ tenant: null, headers: null, event: null, record_key: '', recent: true });
  });

  test('S01: the same id with the same content is reported, and the transaction stays usable', async () => {
    const id = randomUUID();
    const twice = await driver.transaction(async (unit) => [
      await unit.enqueue(ParcelMoved, { id: 'a', step: 1 }, { id }),
      await unit.enqueue(ParcelMoved, { id: 'a', step: 1 }, { id: id.toUpperCase() }),
    ]);
    expect(twice.map(({ created }) => created)).toEqual([true, false]);
    const again = await driver.transaction((unit) => unit.enqueue(ParcelMoved, { id: 'a', step: 1 }, { id }));
    expect(again).toEqual({ id, version: 2, created: false });
    expect(await room.rows('a')).toEqual(['1 ready']);
  });

  const id = randomUUID();
  const content = { tenant: 'acme', headers: { a: '1' }, id };
  test.each([
    ['another payload', ParcelMoved, { id: 'a', step: 2 }, content],
    ['another tenant', ParcelMoved, { id: 'a', step: 1 }, { ...content, tenant: 'other' }],
    ['other headers', ParcelMoved, { id: 'a', step: 1 }, { ...content, headers: {} }],
    ['another key', ParcelMoved, { id: 'a', step: 1 }, { ...content, recordKey: 'Parcel/b' }],
    ['another event', ParcelMoved, { id: 'a', step: 1 }, { ...content, event: 'EVT-OTHER' }],
    ['another type', NoteTaken, { value: 1 }, content],
  ])(
    'S01: the same id with %s is a conflict, and the transaction stays usable',
    async (_what, message, payload, options) => {
      await driver.transaction(async (unit) => {
        await unit.enqueue(ParcelMoved, { id: 'a', step: 1 }, content);
        await expect(unit.enqueue(message, payload as never, options)).rejects.toMatchObject({
          code: 'STO_ID_CONFLICT',
        });
        await unit.query(`insert into parcel values ('a')`);
      });
      expect([await count('parcel'), await count('waybill.message')]).toEqual([1, 1]);
    },
  );

  test('S01: an id repeated inside one batch is written once', async () => {
    const again = { id: randomUUID() };
    const batch = await driver.transaction((unit) =>
      unit.enqueueMany([
        entry(ParcelMoved, { id: 'a', step: 1 }, again),
        entry(ParcelMoved, { id: 'a', step: 2 }),
        entry(ParcelMoved, { id: 'a', step: 1 }, again),
      ]),
    );
    expect(batch.map(({ created }) => created)).toEqual([true, true, false]);
    expect(await room.rows('a')).toEqual(['1 ready', '2 waiting']);
  });

  test('S02: a delayed record takes its place in its key, and later ones wait for it', async () => {
    const dueAt = new Date(Date.now() + 3_600_000);
    await driver.transaction(async (unit) => {
      await unit.enqueue(ParcelMoved, { id: 'a', step: 1 }, { dueAt });
      await unit.enqueue(ParcelMoved, { id: 'a', step: 2 });
      await unit.enqueue(ParcelMoved, { id: 'b', step: 1 }, { dueAt: new Date(0) });
    });
    expect([await room.rows('a'), await room.rows('b')]).toEqual([['1 timed', '2 waiting'], ['1 ready']]);
    const worker = await room.worker();
    expect(await worker.take()).toEqual(['b:1']);
    await room.query(`update waybill.delivery set due_at = clock_timestamp() where due_at is not null`);
    expect(await worker.take()).toEqual(['a:1,2']);
  });

  test('S03 F041: single, bulk and concurrent calls of one transaction keep their order', async () => {
    const step = (n: number): { id: string; step: number } => ({ id: 'a', step: n });
    await driver.transaction(async (unit) => {
      for (let n = 0; n < 20; n += 1) await unit.enqueue(ParcelMoved, step(n));
      await unit.enqueueMany(Array.from({ length: 300 }, (_, n) => entry(ParcelMoved, step(20 + n))));
      await Promise.all(Array.from({ length: 20 }, (_, n) => unit.enqueue(ParcelMoved, step(320 + n))));
    });
    const rows = await room.query(
      "select (m.payload->>'step')::integer as step from waybill.delivery d join waybill.message m using (seq) order by d.position",
    );
    expect(rows.map((row) => row['step'])).toEqual(Array.from({ length: 340 }, (_, n) => n));
  });

  test('S03 F040: nothing to enqueue is fine', async () => {
    expect(await driver.transaction((unit) => unit.enqueueMany([]))).toEqual([]);
  });

  test('S03 F040: 50,000 records with a key each go into one transaction, in call order', async () => {
    const entries = Array.from({ length: 50_000 }, (_, n) => entry(ParcelMoved, { id: String(n), step: n }));
    const enqueued = await driver.transaction((unit) => unit.enqueueMany(entries));
    const ids = await room.query('select id from waybill.message order by seq');
    expect(ids.map((row) => row['id'])).toEqual(enqueued.map((message) => message.id));
    const [row] = await room.query(
      'select count(*) filter (where ready_xid is not null)::integer as ready, count(*)::integer as live from waybill.delivery',
    );
    expect(row).toEqual({ ready: 50_000, live: 50_000 });
  });

  test('F096: enqueues and other statements may run at once on one transaction', async () => {
    await driver.transaction(async (unit) => {
      await Promise.all([
        unit.enqueue(ParcelMoved, { id: 'a', step: 1 }),
        unit.query(`insert into parcel values ('a')`),
        unit.enqueueMany([entry(ParcelMoved, { id: 'a', step: 2 }), entry(ParcelMoved, { id: 'b', step: 1 })]),
        unit.query(`insert into parcel values ('b')`),
        unit.enqueue(NoteTaken, { value: null }),
      ]);
    });
    expect([await count('parcel'), await count('waybill.message'), await room.rows('a')]).toEqual([
      2,
      4,
      ['1 ready', '2 waiting'],
    ]);
  });
});

test('S01: two transactions that write the same id at once agree on one message', async () => {
  const [first, second] = DRIVERS.map(({ connect }) => connect(room.url));
  if (first === undefined || second === undefined) throw new Error('expected two drivers');
  const id = randomUUID();
  let committed: Promise<unknown> = Promise.resolve();
  const repeat = await second.transaction(async (unit) => {
    await first.transaction(async (other) => {
      await other.enqueue(NoteTaken, { value: 1 }, { id });
      committed = unit.enqueue(NoteTaken, { value: 1 }, { id });
    });
    return committed;
  });
  expect(repeat).toEqual({ id, version: 1, created: false });
  await first.close();
  await second.close();
});

test('F054: batches that name the same ids in opposite orders do not deadlock', async () => {
  const ids = Array.from({ length: 200 }, () => randomUUID());
  const batch = (order: readonly string[]) => order.map((id) => entry(NoteTaken, { value: 1 }, { id }));
  const driver = DRIVERS[0]!.connect(room.url);
  for (let round = 0; round < 10; round += 1) {
    const both = [ids, ids.toReversed()].map((order) => driver.transaction((unit) => unit.enqueueMany(batch(order))));
    const created = (await Promise.all(both)).flat().filter((message) => message.created);
    expect(created).toHaveLength(200);
    await room.query('truncate waybill.message, waybill.delivery');
  }
  await driver.close();
});
