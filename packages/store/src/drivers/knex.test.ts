import { driverSuite } from '@waybill/testkit';
import createKnex, { type Knex } from 'knex';
import { afterAll, beforeAll, describe, expectTypeOf, test } from 'vitest';

import { startDriverTarget } from '../../test/driver-target.ts';
import { type enqueue, outbox } from './knex.ts';

type Tx = Parameters<typeof enqueue>[0];

driverSuite({ describe, test, beforeAll, afterAll }, 'knex', () =>
  startDriverTarget<Knex.Transaction>((url) => {
    const knex = createKnex({ client: 'pg', connection: url, pool: { min: 0, max: 2 } });
    return {
      close: () => knex.destroy(),
      driver: {
        outbox: (schema) => outbox(schema === undefined ? {} : { schema }),
        transaction: (work, isolation) =>
          knex.transaction(work, isolation === undefined ? {} : { isolationLevel: isolation }),
        execute: async (trx, statement): Promise<unknown> => trx.raw(statement),
        savepoint: (trx, work) => trx.savepoint(work),
        refused: {
          'the root': (use) => use(knex),
          'a transaction that was committed by hand': async (use) => {
            const trx = await knex.transaction();
            await trx.commit();
            await use(trx);
          },
        },
      },
    };
  }),
);

test('W09: the root of Knex is refused at compile time', () => {
  expectTypeOf<Knex>().not.toExtend<Tx>();
  expectTypeOf<Knex.Transaction>().toExtend<Tx>();
});
