import { driverSuite } from '@waybill/testkit';
import { CompiledQuery, Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expectTypeOf, test } from 'vitest';

import { startDriverTarget } from '../../test/driver-target.ts';
import { type enqueue, outbox } from './kysely.ts';

type Tx = Parameters<typeof enqueue>[0];

driverSuite({ describe, test, beforeAll, afterAll }, 'kysely', () =>
  startDriverTarget<Transaction<unknown>>((url) => {
    const db = new Kysely<unknown>({
      dialect: new PostgresDialect({
        pool: new pg.Pool({ connectionString: url, max: 2 }).on('error', () => undefined),
      }),
    });
    return {
      close: () => db.destroy(),
      driver: {
        outbox: (schema) => outbox(schema === undefined ? {} : { schema }),
        transaction: (work, isolation) =>
          (isolation === undefined ? db.transaction() : db.transaction().setIsolationLevel(isolation)).execute(work),
        execute: (trx, statement) => trx.executeQuery(CompiledQuery.raw(statement)),
        refused: {
          'the root': (use) => use(db),
          'an idle connection': (use) => db.connection().execute(use),
          'a controlled transaction after its end': async (use) => {
            const trx = await db.startTransaction().execute();
            await trx.commit().execute();
            await use(trx);
          },
        },
      },
    };
  }),
);

test('W09: the root of Kysely is refused at compile time', () => {
  expectTypeOf<Kysely<{ a: { id: number } }>>().not.toExtend<Tx>();
  expectTypeOf<Transaction<{ a: { id: number } }>>().toExtend<Tx>();
});
