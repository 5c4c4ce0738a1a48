import { driverSuite } from '@waybill/testkit';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { afterAll, beforeAll, describe, expectTypeOf, test } from 'vitest';

import { startDriverTarget } from '../../test/driver-target.ts';
import { type enqueue, outbox } from './typeorm.ts';

type Tx = Parameters<typeof enqueue>[0];

const runner = { describe, test, beforeAll, afterAll };
const LEVELS = { 'repeatable read': 'REPEATABLE READ', serializable: 'SERIALIZABLE' } as const;

async function connect(url: string): Promise<DataSource> {
  return new DataSource({ type: 'postgres', url, poolSize: 2, entities: [] }).initialize();
}

async function withRunner<T>(source: DataSource, use: (queryRunner: QueryRunner) => Promise<T>): Promise<T> {
  const queryRunner = source.createQueryRunner();
  try {
    return await use(queryRunner);
  } finally {
    await queryRunner.release();
  }
}

driverSuite(runner, "typeorm's manager", () =>
  startDriverTarget<EntityManager>(async (url) => {
    const source = await connect(url);
    return {
      close: () => source.destroy(),
      driver: {
        outbox: (schema) => outbox(schema === undefined ? {} : { schema }),
        transaction: (work, isolation) =>
          isolation === undefined ? source.transaction(work) : source.transaction(LEVELS[isolation], work),
        execute: (manager, statement) => manager.query(statement),
        savepoint: (manager, work) => manager.transaction(work),
        refused: {
          'the data source': (use) => use(source),
          'its manager': (use) => use(source.manager),
          'the manager of an idle query runner': (use) => withRunner(source, ({ manager }) => use(manager)),
        },
      },
    };
  }),
);

driverSuite(runner, "typeorm's query runner", () =>
  startDriverTarget<QueryRunner>(async (url) => {
    const source = await connect(url);
    // One for all transactions, as it may be used.
    const queryRunner = source.createQueryRunner();
    return {
      close: async () => {
        await queryRunner.release();
        await source.destroy();
      },
      driver: {
        outbox: (schema) => outbox(schema === undefined ? {} : { schema }),
        async transaction(work, isolation) {
          await queryRunner.startTransaction(isolation === undefined ? undefined : LEVELS[isolation]);
          try {
            await work(queryRunner);
            await queryRunner.commitTransaction();
          } catch (error) {
            await queryRunner.rollbackTransaction();
            throw error;
          }
        },
        execute: (runnerOfTransaction, statement) => runnerOfTransaction.query(statement),
        refused: { 'an idle query runner': (use) => withRunner(source, use) },
      },
    };
  }),
);

test('W09: the data source of TypeORM is refused at compile time', () => {
  expectTypeOf<DataSource>().not.toExtend<Tx>();
  expectTypeOf<EntityManager>().toExtend<Tx>();
  expectTypeOf<QueryRunner>().toExtend<Tx>();
});
