import { driverSuite } from '@waybill/testkit';
import pg from 'pg';
import { afterAll, beforeAll, describe, test } from 'vitest';

import { startDriverTarget } from '../../test/driver-target.ts';
import { outbox } from './pg.ts';

driverSuite({ describe, test, beforeAll, afterAll }, 'pg', () =>
  startDriverTarget<pg.PoolClient>((url) => {
    const pool = new pg.Pool({ connectionString: url, max: 2 }).on('error', () => undefined);
    const lend = async <T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
      const client = await pool.connect();
      try {
        return await use(client);
      } finally {
        client.release();
      }
    };
    return {
      close: () => pool.end(),
      driver: {
        outbox: (schema) => outbox(schema === undefined ? {} : { schema }),
        transaction: (work, isolation) =>
          lend(async (client) => {
            await client.query(isolation === undefined ? 'begin' : `begin isolation level ${isolation}`);
            try {
              await work(client);
              await client.query('commit');
            } catch (error) {
              await client.query('rollback');
              throw error;
            }
          }),
        execute: (client, statement) => client.query(statement),
        refused: {
          'the pool': (use) => use(pool),
          'an idle client': lend,
          'a client that never connected': (use) => use(new pg.Client()),
        },
      },
    };
  }),
);
