import { randomBytes, randomUUID } from 'node:crypto';
import type { PayloadOf } from '@waybill/contracts';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { DRIVERS, type DriverUnderTest } from '../../test/drivers.ts';
import { ListSent, NoteTaken, ParcelMoved } from '../../test/messages.ts';
import { openRoom } from '../../test/room.ts';
import { createClaimer, type TypedRecord } from '../claimer.ts';
import { type ContractIds, registerContracts } from '../contracts.ts';
import { postgresDatabase } from '../drivers/postgres.ts';
import type { Database } from '../executor.ts';
import { settle } from '../statements/settle.ts';
import { openStore } from '../store.ts';
import { entry, MAX_PAYLOAD_BYTES } from './prepare.ts';

const room = await openRoom();
const contracts: ContractIds = await registerContracts(
  openStore(room.observer),
  [NoteTaken, ListSent, ParcelMoved].map(({ type, newest, kind }) => ({ type, version: newest, kind })),
  'test',
);
afterEach(() => room.clear());
afterAll(() => room[Symbol.asyncDispose]());

async function readAll(database: Database): Promise<readonly TypedRecord[]> {
  const owner = randomUUID();
  const store = openStore(database);
  const claimer = createClaimer(store, { owner, contracts, leaseMs: 60_000, now: () => performance.now() });
  const { runs } = await claimer.claim({ limit: 1_000, runLength: 100, timed: true });
  const settled = await settle(
    store.database,
    store,
    owner,
    runs.map(({ head, fence, records }) => ({
      head,
      fence,
      delivered: records.map(({ position }) => position),
      next: { then: 'release' },
    })),
  );
  expect(settled.map(({ status }) => status)).toEqual(runs.map(() => 'settled'));
  expect(await room.query('select count(*)::integer as live from waybill.delivery')).toEqual([{ live: 0 }]);
  return runs.flatMap(({ records }) => records);
}

const VALUES: Readonly<Record<string, unknown>> = {
  'an empty list': [],
  'a list': [1, 2, 3],
  'a list of objects': [{ a: 1 }],
  'a list of lists': [[1], [2]],
  NUL: 'a\u0000b',
  'a lone high surrogate': '\ud800',
  'a lone low surrogate': '\udc00x',
  'the text of an escape': '\\u0000',
  'quotes and braces': '{"a",\\\'b}',
  'other planes': '🧭 ü é é \u200b',
  'a big number in text': '12345678901234567890',
  'the biggest safe integer': Number.MAX_SAFE_INTEGER,
  numbers: [0.1, 1e300, 5e-324, -1, 1e21],
  'the order of members': { b: 1, a: { '10': 1, '9': 2 }, '': 3 },
  'names of prototypes': { constructor: 1, toString: null },
  'text that looks like null': ['NULL', 'null', null, '', '{}'],
};

describe.each(DRIVERS.flatMap((writer) => DRIVERS.map((reader) => ({ writer, reader }))))(
  'S04: written by $writer.driver, read by $reader.driver',
  ({ writer, reader }) => {
    let from: DriverUnderTest;
    let to: DriverUnderTest;
    beforeAll(() => {
      from = writer.connect(room.url);
      to = reader.connect(room.url);
    });
    afterAll(() => Promise.all([from.close(), to.close()]));

    test('S04 F009 F015 F082: payloads arrive byte for byte', async () => {
      const payloads = Object.values(VALUES).map((value) => ({ value }));
      await from.transaction((unit) => unit.enqueueMany(payloads.map((payload) => entry(NoteTaken, payload))));
      const records = await readAll(to.database);
      expect(records.map(({ payload }) => payload)).toEqual(payloads.map((payload) => JSON.stringify(payload)));
    });

    test('S04 F083: ten megabytes arrive byte for byte, alone and among others', async () => {
      // Neither compresses well nor has one width in UTF-8.
      const value = `${randomBytes(7_000_000).toString('base64')}${'ü🧭'.repeat(110_000)}`;
      await from.transaction(async (unit) => {
        await unit.enqueue(NoteTaken, { value });
        await unit.enqueueMany([entry(NoteTaken, { value: 1 }), entry(NoteTaken, { value })]);
      });
      const payloads = (await readAll(to.database)).map(({ payload }) => payload);
      const text = JSON.stringify({ value });
      expect(Buffer.byteLength(text)).toBeGreaterThan(9_900_000);
      // Compared first: to show a difference of this size would take minutes.
      expect(payloads.map((payload) => payload === text)).toEqual([true, false, true]);
    });

    test('S04 F009: a payload that is a list itself arrives as one', async () => {
      const lists: PayloadOf<typeof ListSent>[] = [[], [1, 2, 3], [{ a: 1 }], [[1], [2]], [null]];
      for (const list of lists) await from.transaction((unit) => unit.enqueue(ListSent, list));
      expect((await readAll(to.database)).map(({ payload }) => payload)).toEqual(
        lists.map((list) => JSON.stringify(list)),
      );
    });

    test('S04 W06: all that surrounds a payload arrives unchanged', async () => {
      const id = randomUUID();
      const occurredAt = new Date('1969-12-31T23:59:59.999Z');
      const headers = { traceparent: '00-ü-🧭', 'a"b': '{\\"}', __proto__x: 'x' };
      const options = {
        id,
        tenant: 'Ac"me\'s {1}',
        occurredAt,
        headers,
        event: 'EVT-X',
      };
      await from.transaction((unit) => unit.enqueue(ParcelMoved, { id: 'a', step: 1 }, options));
      const [record] = await readAll(to.database);
      expect(record).toMatchObject({
        id,
        tenant: options.tenant,
        occurredAt,
        headers: options.headers,
        event: 'EVT-X',
        recordKey: 'Parcel/a',
        type: 'test.parcel-moved',
        version: 2,
        attempt: 0,
      });
      expect(record?.enqueuedAt).toBeInstanceOf(Date);
    });

    test('F037: positions beyond 2^53 keep their order, and settle the right row', async () => {
      for (const start of [9n, 99n, 2n ** 53n - 2n, 2n ** 62n]) {
        await room.query(`select setval('waybill.position_seq', $1::bigint, false)`, [String(start)]);
        await from.transaction((unit) =>
          unit.enqueueMany([1, 2, 3, 4].map((step) => entry(ParcelMoved, { id: 'a', step }))),
        );
        const records = await readAll(to.database);
        expect(records.map(({ position }) => BigInt(position))).toEqual([0n, 1n, 2n, 3n].map((n) => start + n));
        expect(records.map(({ payload }) => (JSON.parse(payload) as { step: number }).step)).toEqual([1, 2, 3, 4]);
      }
    });
  },
);

test('F082: numbers and members that only SQL can write arrive as written', async () => {
  const payload = '{"value": 12345678901234567890.10,  "value":1e400}';
  await room.query(
    `select * from waybill.enqueue(json_build_array(json_build_object('type', 'test.note-taken', 'version', 1, 'payload', $1::text::json)))`,
    [payload],
  );
  const [record] = await readAll(room.observer);
  expect(record?.payload).toBe(payload);
});

// A member that is null is a payload; one that is not there is none.
test.each([
  'enqueue(json_build_array($1::text::json))',
  'enqueue_one($1::text)',
  'enqueue(json_build_array($1::text::json, $1::text::json))',
])('F082 S04: waybill.%s takes null for the payload that it is', async (call) => {
  const message = { type: 'test.note-taken', version: 1 };
  await room.query(`select * from waybill.${call}`, [JSON.stringify({ ...message, payload: null })]);
  const records = await readAll(room.observer);
  expect(new Set(records.map(({ payload }) => payload))).toEqual(new Set(['null']));
  await expect(room.query(`select * from waybill.${call}`, [JSON.stringify(message)])).rejects.toMatchObject({
    code: '23502',
    column: 'payload',
  });
});

test('F015 S04: text that PostgreSQL cannot keep is refused with its path, and the transaction stays usable', async () => {
  const driver = DRIVERS[0]!.connect(room.url);
  const text = 'a\u0000b';
  const refused = [
    [{ tenant: text }, 'tenant'],
    [{ recordKey: `Parcel/${text}` }, 'recordKey'],
    [{ event: '\ud800' }, 'event'],
    [{ headers: { a: text } }, 'headers["a"]'],
    [{ headers: { '\udc00': 'a' } }, 'headers['],
    [{ headers: { a: 'b\r\nc: d' } }, 'headers["a"]'],
    [{ id: 'order-7' }, 'id'],
    [{ dueAt: new Date(Number.NaN) }, 'dueAt'],
    [{ tenant: '' }, 'tenant'],
    [{ headers: { a: 'x'.repeat(20_000) } }, 'headers'],
  ] as const;
  await driver.transaction(async (unit) => {
    for (const [options, path] of refused) {
      const error: unknown = await unit.enqueue(NoteTaken, { value: 1 }, options).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'STO_INVALID_OPTION' });
      expect(String(error)).toContain(path);
    }
    await expect(unit.enqueue(NoteTaken, { value: 1n })).rejects.toMatchObject({ code: 'CTR_PAYLOAD_INVALID' });
    await unit.enqueue(NoteTaken, { value: 'the transaction is usable' });
  });
  expect(await readAll(room.observer)).toHaveLength(1);
  await driver.close();
});

test('F083 S04: a payload of 16 MiB is kept, a byte more is refused before the database sees it', async () => {
  const driver = DRIVERS[0]!.connect(room.url);
  const ofSize = (bytes: number) => ({ value: 'x'.repeat(bytes - '{"value":""}'.length) });
  await driver.transaction(async (unit) => {
    await expect(unit.enqueue(NoteTaken, ofSize(MAX_PAYLOAD_BYTES + 1))).rejects.toMatchObject({
      code: 'STO_INVALID_OPTION',
      message: `payload: expected at most 16777216 bytes of JSON, got 16777217`,
    });
    await expect(unit.enqueue(NoteTaken, { value: 'ü'.repeat(MAX_PAYLOAD_BYTES / 2) })).rejects.toMatchObject({
      code: 'STO_INVALID_OPTION',
    });
    await unit.enqueue(NoteTaken, ofSize(MAX_PAYLOAD_BYTES));
  });
  expect(await room.query('select octet_length(payload::text) as bytes from waybill.message')).toEqual([
    { bytes: 16_777_216 },
  ]);
  await driver.close();
});

describe('F048: the host has its own ideas of types', () => {
  const { BOOL, INT8, JSON: JSON_TYPE, JSONB, DATE, TIMESTAMP, TIMESTAMPTZ, NUMERIC, UUID } = pg.types.builtins;
  const OIDS = [BOOL, INT8, JSON_TYPE, JSONB, DATE, TIMESTAMP, TIMESTAMPTZ, NUMERIC, UUID];
  const options = { tenant: 'acme', headers: { a: '1' }, occurredAt: new Date(0) };

  test('F048: pg with foreign parsers for every type', async () => {
    const before = OIDS.map((oid) => [oid, pg.types.getTypeParser(oid)] as const);
    for (const oid of OIDS) pg.types.setTypeParser(oid, (text: string) => ({ exotic: text }));
    const driver = DRIVERS[0]!.connect(room.url);
    try {
      await driver.transaction((unit) => unit.enqueue(ParcelMoved, { id: 'a', step: 1 }, options));
      const store = openStore(driver.database);
      expect(
        await registerContracts(store, [{ type: NoteTaken.type, version: 1, kind: NoteTaken.kind }], 'again'),
      ).toHaveProperty('size', 1);
      const owner = randomUUID();
      const { runs } = await createClaimer(store, { owner, contracts, leaseMs: 60_000, now: () => 0 }).claim({
        limit: 5,
        runLength: 5,
        timed: true,
      });
      expect(runs[0]?.records[0]).toMatchObject({ ...options, payload: '{"id":"a","step":1}' });
      expect(
        await settle(driver.database, store, owner, [
          { head: runs[0]!.head, fence: runs[0]!.fence, delivered: [runs[0]!.head], next: { then: 'release' } },
        ]),
      ).toEqual([{ head: runs[0]!.head, status: 'settled', keptHead: null }]);
    } finally {
      for (const [oid, parser] of before) pg.types.setTypeParser(oid, parser as (text: string) => unknown);
      await driver.close();
    }
  });

  test.each([
    ['camel', postgres.camel],
    ['pascal', postgres.pascal],
    ['kebab', postgres.kebab],
  ])('F048: postgres with %s-case names and parsers of its own', async (_name, transform) => {
    const exotic = { to: 1184, from: OIDS, serialize: String, parse: (text: string) => ({ exotic: text }) };
    const sql = postgres(room.url, { max: 2, transform, fetch_types: false, types: { exotic } });
    await DRIVERS[1]!.connect(room.url).transaction((unit) => unit.enqueue(ParcelMoved, { id: 'a', step: 1 }, options));
    const store = openStore(postgresDatabase(sql));
    await registerContracts(store, [{ type: NoteTaken.type, version: 1, kind: NoteTaken.kind }], 'again');
    const [record] = await readAll(postgresDatabase(sql));
    expect(record).toMatchObject({ ...options, recordKey: 'Parcel/a', payload: '{"id":"a","step":1}' });
    await sql.end();
  });
});
