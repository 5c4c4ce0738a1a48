import assert from 'node:assert/strict';
import { BUSINESS_TABLE, CHANGE_OF_MIND, type DriverCase, expectCommitted, storedSteps } from './driver-case.ts';

const INSERT_ROW = `insert into public.${BUSINESS_TABLE} values (1)`;

/** That messages live and die with the caller's transaction. */
export const TRANSACTION_CASES: readonly DriverCase[] = [
  {
    title: 'W04: a message commits together with the row, and nobody sees it before',
    async run({ target, driver, outbox }) {
      await driver.transaction(async (tx) => {
        await driver.execute(tx, INSERT_ROW);
        await outbox.enqueue(tx, target.step, { id: 'a', step: 1 });
        await expectCommitted(target, { rows: 0, messages: 0 });
      });
      await expectCommitted(target, { rows: 1, messages: 1 });
    },
  },
  {
    title: 'W04: a rollback leaves neither the row nor the message',
    async run({ target, driver, outbox }) {
      const undone = driver.transaction(async (tx) => {
        await driver.execute(tx, INSERT_ROW);
        await outbox.enqueue(tx, target.step, { id: 'a', step: 1 });
        throw CHANGE_OF_MIND;
      });
      await assert.rejects(undone);
      await expectCommitted(target, { rows: 0, messages: 0 });
    },
  },
  {
    title: 'W04: two transactions in turn, each with its own messages',
    async run({ target, driver, outbox }) {
      for (const step of [1, 2]) {
        await driver.transaction((tx) => outbox.enqueue(tx, target.step, { id: 'a', step }));
      }
      assert.deepEqual(await storedSteps(target), [1, 2]);
    },
  },
  {
    title: 'W04: a savepoint takes its messages with it, the first of the transaction too, and the rest stays',
    async run({ target, driver, outbox }) {
      await driver.transaction(async (tx) => {
        await driver.execute(tx, 'savepoint s');
        await outbox.enqueue(tx, target.step, { id: 'a', step: 1 });
        await driver.execute(tx, 'rollback to savepoint s');
        await outbox.enqueue(tx, target.step, { id: 'a', step: 2 });
        await driver.execute(tx, 'savepoint s');
        await outbox.enqueue(tx, target.step, { id: 'a', step: 3 });
        await driver.execute(tx, 'rollback to savepoint s');
        await outbox.enqueue(tx, target.step, { id: 'a', step: 4 });
      });
      assert.deepEqual(await storedSteps(target), [2, 4]);
    },
  },
  {
    title: "W04: so does a savepoint of the driver's own making, where it has one",
    async run({ target, driver, outbox }) {
      const { savepoint } = driver;
      if (savepoint === undefined) return;
      await driver.transaction(async (tx) => {
        const undone = savepoint(tx, async (inner) => {
          await outbox.enqueue(inner, target.step, { id: 'a', step: 1 });
          throw CHANGE_OF_MIND;
        });
        await assert.rejects(undone);
        await savepoint(tx, (inner) => outbox.enqueue(inner, target.step, { id: 'a', step: 2 }));
        await outbox.enqueue(tx, target.step, { id: 'a', step: 3 });
      });
      assert.deepEqual(await storedSteps(target), [2, 3]);
    },
  },
  ...(['repeatable read', 'serializable'] as const).map(
    (isolation): DriverCase => ({
      title: `W04: ${isolation} works as well`,
      async run({ target, driver, outbox }) {
        await driver.transaction(async (tx) => {
          await driver.execute(tx, INSERT_ROW);
          await outbox.enqueue(tx, target.step, { id: 'a', step: 1 });
          await outbox.enqueue(tx, target.step, { id: 'a', step: 2 });
        }, isolation);
        await expectCommitted(target, { rows: 1, messages: 2 });
      },
    }),
  ),
  {
    title: "F096: enqueues run beside the caller's own statements on one transaction",
    async run({ target, driver, outbox }) {
      await driver.transaction(async (tx) => {
        await Promise.all([
          driver.execute(tx, INSERT_ROW),
          outbox.enqueue(tx, target.step, { id: 'a', step: 1 }),
          driver.execute(tx, INSERT_ROW),
          outbox.enqueueMany(tx, [
            { message: target.step, payload: { id: 'b', step: 1 } },
            { message: target.step, payload: { id: 'b', step: 2 } },
          ]),
          outbox.enqueue(tx, target.step, { id: 'c', step: 1 }),
        ]);
      });
      await expectCommitted(target, { rows: 2, messages: 4 });
    },
  },
];
