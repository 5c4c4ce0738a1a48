import assert from 'node:assert/strict';
import { CHANGE_OF_MIND, type DriverCase, type DriverContext, expectCommitted, REFUSED } from './driver-case.ts';

/** That nothing is written outside of an open transaction. */
export const REFUSAL_CASES: readonly DriverCase[] = [
  {
    title: 'W09: what is no transaction is refused: pools, root clients, idle connections',
    async run(context) {
      for (const [name, lend] of Object.entries(context.driver.refused)) {
        await lend((thing) => expectRefused(context, thing, name));
      }
      await expectCommitted(context.target, { rows: 0, messages: 0 });
    },
  },
  {
    title: 'W09: things of another kind altogether are refused',
    async run(context) {
      const bystander = (): undefined => undefined;
      for (const thing of [null, undefined, {}, 'begin', bystander, Promise.resolve()]) {
        await expectRefused(context, thing, typeof thing);
      }
    },
  },
  {
    title: 'W09: a transaction that has been committed is refused, used before or not',
    run: (context) => expectEndRefused(context, async () => undefined),
  },
  {
    title: 'W09: a transaction that has been rolled back is refused, used before or not',
    run: (context) => expectEndRefused(context, () => Promise.reject(CHANGE_OF_MIND)),
  },
  {
    title: 'W09: a transaction that has failed is refused, used before or not',
    async run(context) {
      const { driver, outbox, target } = context;
      for (const used of [false, true]) {
        const undone = driver.transaction(async (tx) => {
          if (used) await outbox.enqueue(tx, target.note, { value: 1 });
          await assert.rejects(driver.execute(tx, 'select 1 / 0'));
          await expectRefused(context, tx, 'a failed transaction');
          throw CHANGE_OF_MIND;
        });
        await assert.rejects(undone);
      }
      await expectCommitted(target, { rows: 0, messages: 0 });
    },
  },
];

/** A finished transaction, kept by somebody. */
async function expectEndRefused<Tx>(context: DriverContext<Tx>, end: () => Promise<void>): Promise<void> {
  const { driver, outbox, target } = context;
  for (const used of [false, true]) {
    const kept: Tx[] = [];
    const ended = driver.transaction(async (tx) => {
      kept.push(tx);
      if (used) await outbox.enqueue(tx, target.note, { value: 1 });
      await end();
    });
    await Promise.allSettled([ended]);
    await target.forget();
    assert.equal(kept.length, 1);
    for (const tx of kept) await expectRefused(context, tx, 'a transaction that has ended');
  }
  await expectCommitted(target, { rows: 0, messages: 0 });
}

async function expectRefused<Tx>({ outbox, target }: DriverContext<Tx>, thing: unknown, name: string): Promise<void> {
  const tx = thing as Tx; // an untyped caller's mistake, or a transaction in a state that its type does not tell
  await assert.rejects(outbox.enqueue(tx, target.note, { value: 1 }), REFUSED, `enqueue refuses ${name}`);
  const entries = [{ message: target.note, payload: { value: 1 } }];
  await assert.rejects(outbox.enqueueMany(tx, entries), REFUSED, `enqueueMany refuses ${name}`);
}
