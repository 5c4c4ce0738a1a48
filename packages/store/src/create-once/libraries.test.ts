/** `createOnce` on the real libraries; what it promises of its own is tested beside this on the two drivers. */
import { MikroORM } from '@mikro-orm/postgresql';
import { testDatabase } from '@waybill/local-postgres/vitest';
import { drizzle } from 'drizzle-orm/node-postgres';
import createKnex from 'knex';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, expect, test } from 'vitest';

import { openPrisma } from '../../test/prisma-client.ts';
import { createOnce as drizzleOnce } from '../drivers/drizzle.ts';
import { createOnce as knexOnce } from '../drivers/knex.ts';
import { createOnce as kyselyOnce } from '../drivers/kysely.ts';
import { createOnce as mikroOnce } from '../drivers/mikro-orm.ts';
import { createOnce as prismaOnce } from '../drivers/prisma.ts';
import { createOnce as typeormOnce } from '../drivers/typeorm.ts';
import type { CreateOnceResult } from './create-once.ts';
import type { CreateOnceRequest } from './request.ts';

/** `create` runs in a transaction of its own. */
interface Library {
  create(request: CreateOnceRequest): Promise<CreateOnceResult>;
  refused(request: CreateOnceRequest): Promise<unknown>;
  close(): Promise<unknown>;
}

const LIBRARIES: Readonly<Record<string, (url: string) => Library | Promise<Library>>> = {
  kysely: (url) => {
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }) });
    return {
      create: (request) => db.transaction().execute((trx) => kyselyOnce(trx, request)),
      refused: (request) => kyselyOnce(db as never, request),
      close: () => db.destroy(),
    };
  },
  drizzle: (url) => {
    const pool = new pg.Pool({ connectionString: url });
    const db = drizzle(pool);
    return {
      create: (request) => db.transaction((tx) => drizzleOnce(tx, request)),
      refused: (request) => drizzleOnce(db as never, request),
      close: () => pool.end(),
    };
  },
  knex: (url) => {
    const knex = createKnex({ client: 'pg', connection: url });
    return {
      create: (request) => knex.transaction((trx) => knexOnce(trx, request)),
      refused: (request) => knexOnce(knex as never, request),
      close: () => knex.destroy(),
    };
  },
  typeorm: async (url) => {
    const source = await new DataSource({ type: 'postgres', url, entities: [] }).initialize();
    return {
      create: (request) => source.transaction((manager) => typeormOnce(manager, request)),
      refused: (request) => typeormOnce(source.manager, request),
      close: () => source.destroy(),
    };
  },
  'mikro-orm': async (url) => {
    const discovery = { warnWhenNoEntities: false };
    const orm = await MikroORM.init({ clientUrl: url, entities: [], discovery, debug: false });
    return {
      create: (request) => orm.em.fork().transactional((em) => mikroOnce(em, request)),
      refused: (request) => mikroOnce(orm.em, request),
      close: () => orm.close(),
    };
  },
  prisma: (url) => {
    const prisma = openPrisma(url);
    return {
      create: (request) => prisma.$transaction((tx) => prismaOnce(tx, request)),
      refused: (request) => prismaOnce(prisma as never, request),
      close: () => prisma.$disconnect(),
    };
  },
};

const database = await testDatabase();
const pool = new pg.Pool({ connectionString: database.url, max: 1 });
await pool.query('create table invoice (number bigserial, "orderId" text not null unique, total numeric not null)');
afterAll(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

test.each(Object.keys(LIBRARIES))(
  'Q16: with %s one row is made, repeats in turn and at once find it, and burn no value of its sequence',
  async (name) => {
    const library = await LIBRARIES[name]!(database.url);
    const request = { table: 'invoice', key: { orderId: name }, values: { total: '12345678901234567890.5' } };
    const burnt = async (): Promise<unknown> => (await pool.query('select last_value from invoice_number_seq')).rows;

    const first = await library.create(request);
    expect(first).toMatchObject({ created: true, row: { orderId: name } });
    const before = await burnt();
    expect(await library.create(request)).toMatchObject({ created: false, row: { orderId: name } });
    expect(await burnt()).toEqual(before);

    const other = { ...request, key: { orderId: `${name} at once` } };
    const results = await Promise.all([1, 2].map(() => library.create(other)));
    expect(results.map(({ created }) => created).sort()).toEqual([false, true]);
    await expect(library.create({ ...request, key: { total: 1 }, values: { orderId: 'x' } })).rejects.toMatchObject({
      code: 'STO_NO_UNIQUE_KEY',
    });
    await expect(library.refused(request)).rejects.toMatchObject({ code: 'STO_NOT_IN_TRANSACTION' });
    const { rows } = await pool.query(
      'select "orderId", total::text from invoice where "orderId" like $1 order by number',
      [`${name}%`],
    );
    const total = '12345678901234567890.5';
    expect(rows).toEqual([
      { orderId: name, total },
      { orderId: `${name} at once`, total },
    ]);
    await library.close();
  },
);
