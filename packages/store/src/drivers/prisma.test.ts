import { driverSuite } from '@waybill/testkit';
import { afterAll, beforeAll, describe, expectTypeOf, test } from 'vitest';

import { startDriverTarget } from '../../test/driver-target.ts';
import { openPrisma, type PrismaClient, type PrismaTx } from '../../test/prisma-client.ts';
import { type enqueue, outbox } from './prisma.ts';

type Tx = Parameters<typeof enqueue>[0];

const LEVELS = { 'repeatable read': 'RepeatableRead', serializable: 'Serializable' } as const;

driverSuite({ describe, test, beforeAll, afterAll }, 'prisma', () =>
  startDriverTarget<PrismaTx>((url) => {
    const prisma = openPrisma(url);
    return {
      close: () => prisma.$disconnect(),
      driver: {
        outbox: (schema) => outbox(schema === undefined ? {} : { schema }),
        transaction: (work, isolation) =>
          prisma.$transaction(work, isolation === undefined ? {} : { isolationLevel: LEVELS[isolation] }),
        execute: async (tx, statement) => tx.$executeRawUnsafe(statement),
        savepoint: (tx, work) => tx.$transaction(work),
        refused: { 'the client': (use) => use(prisma) },
      },
    };
  }),
);

test('W09: the client of Prisma is refused at compile time', () => {
  expectTypeOf<PrismaClient>().not.toExtend<Tx>();
  expectTypeOf<PrismaTx>().toExtend<Tx>();
});
