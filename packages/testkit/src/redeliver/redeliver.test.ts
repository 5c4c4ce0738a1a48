import { testDatabase } from '@waybill/local-postgres/vitest';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RedeliverDatabase } from './database.ts';
import { type RedeliveredHandler, type RedeliverOptions, redeliver } from './redeliver.ts';

interface OrderPlaced {
  readonly id: string;
  readonly total: number;
}

type Handler = RedeliveredHandler<pg.PoolClient, OrderPlaced>;

const MESSAGE: OrderPlaced = { id: 'o-2', total: 12 };

const SCHEMA = `
  create table account (id text primary key, orders int not null default 0, first_order text, last_total numeric, seen_at timestamptz, lucky float8);
  insert into account (id) values ('a-1');
  create sequence order_number;
  create table placed (id text primary key, number bigint, doubled numeric generated always as (total * 2) stored, total numeric not null);
  insert into placed (id, number, total) values ('o-1', nextval('order_number'), 123456789012345678901234567890.5);
  create table note (at_order text, note text);
`;

function pgDatabase(pool: pg.Pool): RedeliverDatabase<pg.PoolClient> {
  return {
    query: async (text, values = []) =>
      (await pool.query(text, [...values])).rows as Readonly<Record<string, unknown>>[],
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query('begin');
        const result = await work(client);
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback');
        throw error;
      } finally {
        client.release();
      }
    },
  };
}

describe('redeliver', () => {
  let pool: pg.Pool;

  beforeAll(async () => {
    const { url } = await testDatabase({ empty: true });
    pool = new pg.Pool({ connectionString: url }).on('error', () => undefined);
    await pool.query(SCHEMA);
  });
  afterAll(() => pool.end());

  async function faultsOf(
    handler: Handler,
    options: Partial<RedeliverOptions<pg.PoolClient>> = {},
  ): Promise<readonly string[]> {
    const faults = await redeliver(handler, MESSAGE, {
      database: pgDatabase(pool),
      tables: ['account', 'placed', 'note'],
      sequences: ['order_number'],
      ...options,
    });
    return faults.map(({ scenario }) => scenario);
  }

  test('W16 Q17: a handler that sets values from the message may be repeated', async () => {
    const handler: Handler = ({ id, total }, tx) =>
      tx.query(`update account set first_order = $1, last_total = $2 where id = 'a-1'`, [id, total]);
    expect(await faultsOf(handler)).toEqual([]);
  });

  test('W16 Q17: an increment is caught', async () => {
    const handler: Handler = (_, tx) => tx.query('update account set orders = orders + 1');
    expect(await faultsOf(handler)).toEqual(['in-turn', 'at-once', 'after-change']);
  });

  test('Q17: an append is caught, in a table without a key too', async () => {
    const handler: Handler = ({ id }, tx) => tx.query('insert into note values ($1, $2)', [id, 'placed']);
    expect(await faultsOf(handler)).toEqual(['in-turn', 'at-once', 'after-change']);
  });

  test('Q17: now() of the database is caught', async () => {
    expect(await faultsOf((_, tx) => tx.query('update account set seen_at = now()'))).toContain('in-turn');
  });

  test('Q17: the clock and the random numbers of the process are caught', async () => {
    // A day, so that the shift shows and not the milliseconds between the deliveries.
    const day = (): string => new Date().toISOString().slice(0, 10);
    expect(await faultsOf((_, tx) => tx.query('update account set seen_at = $1', [day()]))).toContain('in-turn');
    expect(await faultsOf((_, tx) => tx.query('update account set lucky = $1', [Math.random()]))).toContain('in-turn');
  });

  test('Q17: "if empty" is caught under deterministic-set, and is fine for a create', async () => {
    const handler: Handler = ({ id }, tx) =>
      tx.query('update account set first_order = coalesce(first_order, $1)', [id]);
    expect(await faultsOf(handler)).toEqual(['after-change']);
    expect(await faultsOf(handler, { idempotency: 'create' })).toEqual([]);
  });

  test('Q16, Q17: a look before an insert is caught when both deliveries look at once', async () => {
    const handler: Handler = async ({ id }, tx) => {
      const { rows } = await tx.query('select 1 from note where at_order = $1', [id]);
      if (rows.length === 0) await tx.query('insert into note values ($1)', [id]);
    };
    expect(await faultsOf(handler, { idempotency: 'create' })).toEqual(['at-once']);
  });

  test('Q16, Q17: a create with a constraint may be repeated, but not if a repeat takes a number from a sequence', async () => {
    const burning: Handler = ({ id, total }, tx) =>
      tx.query(
        `insert into placed (id, number, total) values ($1, nextval('order_number'), $2) on conflict do nothing`,
        [id, total],
      );
    expect(await faultsOf(burning, { idempotency: 'create' })).toEqual(['in-turn', 'at-once']);
    const plain: Handler = ({ id, total }, tx) =>
      tx.query('insert into placed (id, total) values ($1, $2) on conflict do nothing', [id, total]);
    expect(await faultsOf(plain, { idempotency: 'create' })).toEqual([]);
  });

  test('Q17: a fault tells which rows differ, and all is put back at the end', async () => {
    const before = await pool.query('select * from placed');
    const [fault] = await redeliver(
      (_, tx: pg.PoolClient) => tx.query('update account set orders = orders + 1'),
      MESSAGE,
      {
        database: pgDatabase(pool),
        tables: ['account', 'placed'],
        sequences: [],
      },
    );
    expect(fault?.differences).toHaveLength(1);
    expect(fault?.differences[0]).toMatchObject({
      where: 'account',
      onlyOnce: [expect.stringContaining('"orders": 1')],
      onlyRepeated: [expect.stringContaining('"orders": 2')],
    });
    expect((await pool.query('select * from placed')).rows).toEqual(before.rows);
    expect((await pool.query('select orders from account')).rows).toEqual([{ orders: 0 }]);
  });

  test('Q17: a handler that fails fails the check, with everything put back', async () => {
    const handler: Handler = async (_, tx) => {
      await tx.query('update account set orders = 5');
      throw new Error('from the handler');
    };
    await expect(faultsOf(handler)).rejects.toThrow('from the handler');
    expect(Date.name).toBe('Date');
    expect((await pool.query('select orders from account')).rows).toEqual([{ orders: 0 }]);
  });
});
