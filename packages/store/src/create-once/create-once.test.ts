import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';

import { DRIVERS } from '../../test/drivers.ts';
import { openRoom } from '../../test/room.ts';
import { untilBlocked } from '../../test/session.ts';
import { createOnce } from '../drivers/pg.ts';

const room = await openRoom();
const drivers = DRIVERS.map(({ driver, connect }) => ({ driver, on: connect(room.url) }));
afterAll(async () => {
  await Promise.all(drivers.map(({ on }) => on.close()));
  await room[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await room.query(`
    create schema shop;
    create sequence shop.number cache 1;
    create function shop.numbers() returns trigger language plpgsql as $$
      begin new.autonumber := 'INV-' || nextval('shop.number'); return new; end $$;
    create table shop.invoice (
      id bigint generated always as identity primary key,
      serial bigserial,
      "order id" bigint not null,
      region varchar(3) not null,
      total numeric(10, 2),
      autonumber text,
      unique ("order id", region) include (total));
    create trigger numbers before insert on shop.invoice for each row execute function shop.numbers();`);
});
afterEach(async () => {
  await room.clear();
  await room.query('drop schema shop cascade');
});

const table = { schema: 'shop', name: 'invoice' };
const invoice = (order: number | bigint, total = 12.5) =>
  ({ table, key: { 'order id': order, region: 'EU' }, values: { total } }) as const;

/** How many values each source of numbers has given: the identity, the serial, and the sequence of a trigger. */
async function burnt(): Promise<readonly number[]> {
  const rows = await room.query(
    `select coalesce(pg_sequence_last_value(s), 0)::integer as n
     from unnest('{shop.invoice_id_seq,shop.invoice_serial_seq,shop.number}'::regclass[]) s`,
  );
  return rows.map((row) => Number(row['n']));
}

describe.each(drivers)('Q16: $driver', ({ on }) => {
  test('Q16: a repeat finds the row, changes nothing and burns no value of any sequence', async () => {
    const first = await on.transaction((unit) => unit.createOnce(invoice(17)));
    expect(first).toMatchObject({ created: true, row: { region: 'EU', total: '12.50', autonumber: 'INV-1' } });
    expect(String(first.row['order id'])).toBe('17');
    for (let redelivery = 0; redelivery < 3; redelivery += 1) {
      const repeat = await on.transaction((unit) => unit.createOnce(invoice(17, 99)));
      expect(repeat).toEqual({ created: false, row: first.row });
    }
    expect(await burnt()).toEqual([1, 1, 1]);
    expect(await on.transaction((unit) => unit.createOnce(invoice(18)))).toMatchObject({ created: true });
    expect(await burnt()).toEqual([2, 2, 2]);
  });

  test('Q16: eight redeliveries at once create one row and burn one value', async () => {
    const results = await Promise.all(
      Array.from({ length: 8 }, () => on.transaction((unit) => unit.createOnce(invoice(17)))),
    );
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(results.map(({ row }) => row['autonumber']))).toEqual(new Set(['INV-1']));
    expect(await burnt()).toEqual([1, 1, 1]);
  });

  test('Q16: values arrive as their columns are typed', async () => {
    await room.query(`create table shop.mixed (
      k uuid not null unique, big numeric, flag boolean, at timestamptz, day date, list text[], doc json, docb jsonb, bytes bytea,
      "Total Due" integer default 7, short varchar(3), fixed char(4), bits bit(3), nothing text default 'something')`);
    const k = '0190163d-8694-739b-aea5-966c26f8ad91';
    const values = {
      big: 123456789012345678901234567890n,
      flag: true,
      at: new Date('2026-01-02T03:04:05.678Z'),
      day: '2026-01-02',
      list: ['a', 'b,"c'],
      doc: { text: 'ü' },
      docb: [1, { two: 2 }],
      bytes: new Uint8Array([0, 255]),
      short: 'abc',
      fixed: 'ab',
      bits: '101',
      nothing: null,
      'Total Due': undefined,
    };
    await on.transaction((unit) => unit.createOnce({ table: { schema: 'shop', name: 'mixed' }, key: { k }, values }));
    const [row] = await room.query(`select to_json(t)::text as t from shop.mixed t`);
    expect(String(row?.['t'])).toContain('123456789012345678901234567890');
    expect(JSON.parse(String(row?.['t']))).toMatchObject({
      ...values,
      big: expect.any(Number) as number,
      at: expect.stringContaining('03:04:05.678') as string,
      bytes: '\\x00ff',
      fixed: 'ab  ',
      'Total Due': 7,
    });
  });
});

describe('Q16: concurrent redelivery, step by step', () => {
  test.each([
    ['commit', false, 'INV-1'],
    ['rollback', true, 'INV-2'],
  ] as const)('Q16: a repeat waits for the first one, and sees its %s', async (end, created, autonumber) => {
    const [one, two] = [await room.session(), await room.session()];
    await one.begin();
    expect(await createOnce(one.native, invoice(17))).toMatchObject({ created: true });
    await two.begin();
    const waiting = createOnce(two.native, { ...invoice(17), key: { region: 'EU', 'order id': 17 } });
    await untilBlocked(room.observer, two, waiting);
    expect(await burnt(), 'the one that waits has taken nothing').toEqual([1, 1, 1]);
    await one[end]();
    expect(await waiting).toMatchObject({ created, row: { autonumber } });
    await two.commit();
    expect(await room.query('select autonumber from shop.invoice')).toEqual([{ autonumber }]);
  });

  test('Q16: other keys do not wait', async () => {
    const [one, two] = [await room.session(), await room.session()];
    await one.begin();
    await createOnce(one.native, invoice(17));
    await two.begin();
    expect(await createOnce(two.native, invoice(18))).toMatchObject({ created: true });
    await two.commit();
    await one.commit();
  });

  test('Q16: two spellings of equal values are one key', async () => {
    await room.query(
      `create table shop.price (amount numeric not null unique, n integer generated always as identity)`,
    );
    const price = (amount: string) => ({ table: { schema: 'shop', name: 'price' }, key: { amount } });
    const [one, two] = [await room.session(), await room.session()];
    await one.begin();
    await createOnce(one.native, price('1.0'));
    await two.begin();
    const waiting = createOnce(two.native, price('1.000'));
    await untilBlocked(room.observer, two, waiting);
    await one.commit();
    expect(await waiting).toMatchObject({ created: false, row: { n: 1 } });
    await two.commit();
    expect(await room.query(`select last_value::integer as n from shop.price_n_seq`)).toEqual([{ n: 1 }]);
  });

  test('Q16: a row that somebody inserts without createOnce is found, and the transaction goes on', async () => {
    const [one, two] = [await room.session(), await room.session()];
    await one.begin();
    await one.query(`insert into shop.invoice ("order id", region) values (17, 'EU')`);
    await two.begin();
    const waiting = createOnce(two.native, invoice(17));
    await untilBlocked(room.observer, two, waiting);
    await one.commit();
    expect(await waiting).toMatchObject({ created: false, row: { autonumber: 'INV-1' } });
    await two.commit();
  });
});

describe('Q16: the constraint is confirmed from the catalog', () => {
  const KEYS = {
    'no index': '',
    'a plain index': 'create index on shop.t (a, b)',
    'an index over one of the columns': 'create unique index on shop.t (a)',
    'an index over more columns': 'create unique index on shop.t (a, b, c)',
    'a partial index': 'create unique index on shop.t (a, b) where c > 0',
    'an index over an expression': 'create unique index on shop.t (a, lower(b))',
    'a deferrable constraint': 'alter table shop.t add unique (a, b) deferrable',
    'an index with another collation': 'create unique index on shop.t (a, b collate "C")',
    'columns that may be null': 'create unique index on shop.t (a, b); alter table shop.t alter a drop not null',
    'an index that is not valid':
      "create unique index i on shop.t (a, b); update pg_index set indisvalid = false where indexrelid = 'shop.i'::regclass",
  };

  test.each(Object.entries(KEYS))('Q16: %s does not do', async (_what, sql) => {
    await room.query(`create table shop.t (a integer not null, b text not null, c integer); ${sql}`);
    const session = await room.session();
    await session.begin();
    const create = createOnce(session.native, { table: { schema: 'shop', name: 't' }, key: { a: 1, b: 'x' } });
    await expect(create).rejects.toMatchObject({ code: 'STO_NO_UNIQUE_KEY' });
    expect(await session.query('select 1 as alive'), 'the transaction goes on').toEqual([{ alive: 1 }]);
    await session.rollback();
  });

  test.each(['create unique index on shop.t (b, a) include (c)', 'alter table shop.t add primary key (a, b)'])(
    'Q16: %s does',
    async (sql) => {
      await room.query(`create table shop.t (a integer not null, b text not null, c integer); ${sql}`);
      const session = await room.session();
      await session.begin();
      await session.query(`set local search_path = shop`);
      expect(await createOnce(session.native, { table: 't', key: { a: 1, b: 'x' } })).toEqual({
        created: true,
        row: { a: 1, b: 'x', c: null },
      });
      await session.rollback();
    },
  );
});

describe('Q16: refusals leave the transaction as it was', () => {
  test.each([
    ['another table', { table: { schema: 'shop', name: 'invoices' }, key: { a: 1 } }],
    ['SQL for a name', { table: 'x"; drop table shop.invoice; --', key: { a: 1 } }],
    ['an empty name', { table: '', key: { a: 1 } }],
    ['another column', { ...invoice(17), values: { colour: 'red' } }],
    ['a column in both places', { ...invoice(17), values: { region: 'US' } }],
    ['no key', { ...invoice(17), key: {} }],
    ['a key that is null', { table, key: { 'order id': null, region: 'EU' } }],
    ['a key that is undefined', { table, key: { 'order id': undefined, region: undefined } }],
    ['not a number', { ...invoice(17), values: { total: Number.NaN } }],
    ['an invalid date', { ...invoice(17), values: { total: new Date('never') } }],
    ['a function', { ...invoice(17), values: { total: () => 1 } }],
  ])('Q16: %s', async (_what, request) => {
    const session = await room.session();
    await session.begin();
    await expect(createOnce(session.native, request)).rejects.toMatchObject({ code: 'STO_INVALID_OPTION' });
    expect(await createOnce(session.native, invoice(17))).toMatchObject({ created: true });
    await session.commit();
  });

  test.each(['repeatable read', 'serializable'])('Q16: %s cannot see who came before', async (isolation) => {
    const session = await room.session();
    await session.begin(isolation);
    await expect(createOnce(session.native, invoice(17))).rejects.toMatchObject({ code: 'STO_NEEDS_READ_COMMITTED' });
    expect(await session.query('select 1 as alive')).toEqual([{ alive: 1 }]);
    await session.rollback();
  });

  test('Q16 W09: outside of a transaction, or behind its end', async () => {
    const session = await room.session();
    await expect(createOnce(session.native, invoice(17))).rejects.toMatchObject({ code: 'STO_NOT_IN_TRANSACTION' });
    await session.begin();
    const [, late] = await Promise.allSettled([session.commit(), createOnce(session.native, invoice(17))]);
    expect(late).toMatchObject({ status: 'rejected', reason: { code: 'STO_NOT_IN_TRANSACTION' } });
    expect(await room.query('select 1 from shop.invoice')).toEqual([]);
  });

  test('Q16: a row that a trigger keeps away is not passed off as created', async () => {
    await room.query(`create function shop.refuse() returns trigger language plpgsql as 'begin return null; end';
      create trigger refuse before insert on shop.invoice for each row execute function shop.refuse()`);
    const session = await room.session();
    await session.begin();
    await expect(createOnce(session.native, invoice(17))).rejects.toMatchObject({ code: 'STO_ROW_NOT_VISIBLE' });
    await session.rollback();
  });
});
