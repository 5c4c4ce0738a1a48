import assert from 'node:assert/strict';
import { type DriverCase, storedSteps } from './driver-case.ts';

/** That the settings of the caller's session do not matter. */
export const SURROUNDINGS_CASES: readonly DriverCase[] = [
  {
    title: 'F095: another search_path leads no message astray',
    async run({ target, driver, outbox }) {
      await target.query('create schema if not exists driver_suite_decoy');
      await target.query('create table if not exists driver_suite_decoy.message (id integer)');
      await driver.transaction(async (tx) => {
        await driver.execute(tx, 'set local search_path = driver_suite_decoy');
        await outbox.enqueue(tx, target.step, { id: 'a', step: 1 });
        await driver.execute(tx, `set local search_path = ''`);
        await outbox.enqueue(tx, target.step, { id: 'a', step: 2 });
      });
      assert.deepEqual(await storedSteps(target), [1, 2]);
    },
  },
  {
    title: 'S09 F095: a schema of another name holds what is enqueued for it',
    async run({ target, driver }) {
      const other = driver.outbox(target.otherSchema);
      const before = (await target.stored(target.otherSchema)).length;
      await driver.transaction(async (tx) => {
        await other.enqueue(tx, target.note, { value: 1 });
        await other.enqueueMany(tx, [{ message: target.note, payload: { value: 2 } }]);
      });
      assert.equal((await target.stored(target.otherSchema)).length, before + 2);
      assert.deepEqual(await target.stored(), []);
    },
  },
];
