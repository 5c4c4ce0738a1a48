import { driverSuite } from '@waybill/testkit';
import { drizzle as drizzlePg, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { drizzle as drizzlePostgres, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expectTypeOf, test } from 'vitest';

import { startDriverTarget } from '../../test/driver-target.ts';
import { type enqueue, outbox } from './drizzle.ts';

type Tx = Parameters<typeof enqueue>[0];
type PgTx = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0];
type PostgresTx = Parameters<Parameters<PostgresJsDatabase['transaction']>[0]>[0];

const runner = { describe, test, beforeAll, afterAll };
const level = (isolation: 'repeatable read' | 'serializable' | undefined) =>
  isolation === undefined ? undefined : { isolationLevel: isolation };

driverSuite(runner, 'drizzle on node-postgres', () =>
  startDriverTarget<PgTx>((url) => {
    const pool = new pg.Pool({ connectionString: url, max: 2 }).on('error', () => undefined);
    const db = drizzlePg(pool);
    return {
      close: () => pool.end(),
      driver: {
        outbox: (schema) => outbox(schema === undefined ? {} : { schema }),
        transaction: (work, isolation) => db.transaction(work, level(isolation)),
        execute: (tx, statement) => tx.execute(statement),
        savepoint: (tx, work) => tx.transaction(work),
        refused: { 'the database': (use) => use(db), 'its client': (use) => use(db.$client) },
      },
    };
  }),
);

driverSuite(runner, 'drizzle on postgres.js', () =>
  startDriverTarget<PostgresTx>((url) => {
    const sql = postgres(url, { max: 2, onnotice: () => undefined });
    const db = drizzlePostgres(sql);
    return {
      close: () => sql.end(),
      driver: {
        outbox: (schema) => outbox(schema === undefined ? {} : { schema }),
        transaction: (work, isolation) => db.transaction(work, level(isolation)),
        execute: (tx, statement) => tx.execute(statement),
        savepoint: (tx, work) => tx.transaction(work),
        refused: { 'the database': (use) => use(db), 'its client': (use) => use(db.$client) },
      },
    };
  }),
);

test('W09: the database of Drizzle is refused at compile time', () => {
  expectTypeOf<NodePgDatabase>().not.toExtend<Tx>();
  expectTypeOf<PostgresJsDatabase>().not.toExtend<Tx>();
  expectTypeOf<PgTx>().toExtend<Tx>();
  expectTypeOf<PostgresTx>().toExtend<Tx>();
});
