import assert from 'node:assert/strict';
import { testMessage } from '../test-message.ts';
import { heldOf, names, publish, publishUntilAccepted, withTransport } from './sending.ts';
import { offered, type SuiteCase } from './suite-case.ts';

const OPEN = new AbortController().signal;

/** That nothing is sent once sending is over. */
export const WINDOW_CASES: readonly SuiteCase[] = [
  {
    title: 'T04: nothing is sent after the deadline, after an abort, or with a deadline that is no number',
    run: ({ target }) =>
      withTransport(target, async (transport) => {
        const closed = [
          { signal: OPEN, deadline: performance.now() - 1 },
          { signal: OPEN, deadline: Number.NaN },
          { signal: AbortSignal.abort(), deadline: performance.now() + 60_000 },
        ];
        const batch = closed.map(() => testMessage());
        for (const [index, message] of batch.entries()) {
          const context = closed[index];
          assert.ok(context);
          const [outcome] = await transport.publish([message], context);
          assert.equal(outcome?.outcome === 'retry' && outcome.class, 'not-sent');
        }
        await publish(transport, testMessage());
        assert.deepEqual(await heldOf(target, batch), []);
      }),
  },
  {
    title: 'T04, F084: an abort in the middle ends the publish at once and stops the rest of the key',
    async run(context) {
      const { target } = context;
      const hold = offered(target.faults['answer-held'], context);
      await withTransport(target, async (transport) => {
        await publish(transport, testMessage());
        const heal = await hold();
        const lost = new AbortController();
        const [first, second] = [testMessage({ recordKey: 'Order/abort' }), testMessage({ recordKey: 'Order/abort' })];
        try {
          const publishing = transport.publish([first, second], {
            signal: lost.signal,
            deadline: performance.now() + 60_000,
          });
          await untilHeld(async () => (await heldOf(target, [first])).length === 1);
          lost.abort();
          assert.deepEqual(names(await publishing), ['unknown', target.runsGoAsOne ? 'unknown' : 'retry']);
        } finally {
          await heal();
        }
        await publishUntilAccepted(transport);
        const arrived = target.runsGoAsOne ? [first.id, second.id] : [first.id];
        assert.deepEqual(await heldOf(target, [first, second]), arrived);
      });
    },
  },
];

async function untilHeld(holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  while (!(await holds())) {
    assert.ok(performance.now() < giveUpAt, 'the message never reached the target');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
