import { driverSuite } from '@waybill/testkit';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, test } from 'vitest';

import { startDriverTarget } from '../../test/driver-target.ts';
import { outbox } from './postgres.ts';

driverSuite({ describe, test, beforeAll, afterAll }, 'postgres', () =>
  startDriverTarget<postgres.TransactionSql>((url) => {
    const sql = postgres(url, { max: 2, onnotice: () => undefined });
    return {
      close: () => sql.end(),
      driver: {
        outbox: (schema) => outbox(schema === undefined ? {} : { schema }),
        transaction: (work, isolation) =>
          isolation === undefined ? sql.begin(work) : sql.begin(`isolation level ${isolation}`, work),
        execute: (tx, statement) => tx.unsafe(statement),
        savepoint: (tx, work) => tx.savepoint(work),
        refused: {
          'sql itself': (use) => use(sql),
          'a reserved connection': async (use) => {
            const reserved = await sql.reserve();
            await use(reserved);
            reserved.release();
          },
        },
      },
    };
  }),
);
