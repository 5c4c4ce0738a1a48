import { IsolationLevel } from '@mikro-orm/core';
import { type EntityManager, MikroORM, type SqlEntityManager } from '@mikro-orm/postgresql';
import { driverSuite } from '@waybill/testkit';
import { afterAll, beforeAll, describe, expectTypeOf, test } from 'vitest';

import { startDriverTarget } from '../../test/driver-target.ts';
import { type enqueue, outbox } from './mikro-orm.ts';

type Tx = Parameters<typeof enqueue>[0];

const LEVELS = {
  'repeatable read': IsolationLevel.REPEATABLE_READ,
  serializable: IsolationLevel.SERIALIZABLE,
} as const;

driverSuite({ describe, test, beforeAll, afterAll }, 'mikro-orm', () =>
  startDriverTarget<SqlEntityManager>(async (url) => {
    const orm = await MikroORM.init({
      clientUrl: url,
      entities: [],
      discovery: { warnWhenNoEntities: false },
      pool: { max: 2 },
      debug: false,
    });
    return {
      close: () => orm.close(),
      driver: {
        outbox: (schema) => outbox(schema === undefined ? {} : { schema }),
        transaction: (work, isolation) =>
          orm.em.fork().transactional(work, isolation === undefined ? {} : { isolationLevel: LEVELS[isolation] }),
        execute: (em, statement) => em.execute(statement),
        savepoint: (em, work) => em.transactional(work),
        refused: {
          'the global entity manager': (use) => use(orm.em),
          'a fork without a transaction': (use) => use(orm.em.fork()),
          'an entity manager after its commit': async (use) => {
            const em = orm.em.fork();
            await em.begin();
            await em.commit();
            await use(em);
          },
        },
      },
    };
  }),
);

test('W09: MikroORM itself is refused at compile time; its entity managers are told apart at run time only', () => {
  expectTypeOf<MikroORM>().not.toExtend<Tx>();
  expectTypeOf<EntityManager>().toExtend<Tx>();
});
