import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { testMessage } from '../test-message.ts';
import { HEAP, SOCKETS, TIMERS, untilAtMost } from './resources.ts';
import { names, publish, publishFor, withTransport } from './sending.ts';
import type { CaseContext, SuiteCase } from './suite-case.ts';
import type { TransportUnderTest } from './target.ts';

// Below this number the noise of one collection is larger than any leak.
const MESSAGES_WORTH_WEIGHING = 10_000;
// Four hundred bytes for each of so many messages: what a client compiles and caches meanwhile is less, a message that is kept is more.
const HEAP_GROWTH_LIMIT_BYTES = 4 * 2 ** 20;

/** Closing, and what is left behind by many messages. */
export const LIFE_CYCLE_CASES: readonly SuiteCase[] = [
  {
    title: 'T01, F012: a close waits for the publish under way, can be repeated, and ends publishing',
    async run({ target }) {
      const transport = await target.open();
      const publishing = publish(transport, testMessage(), testMessage());
      const closing = transport.close();
      assert.deepEqual(names(await publishing), ['accepted', 'accepted']);
      await closing;
      await transport.close();
      await assert.rejects(publishFor(transport, [testMessage()], 1_000), { code: 'TRN_CLOSED' });
    },
  },
  {
    title: 'T01: a transport that was never used closes',
    run: ({ target }) => withTransport(target, async () => undefined),
  },
  {
    title:
      'T01, F084: many messages leave no listener, timer, socket or memory behind, and a close leaves none of the rest',
    async run(context) {
      // Opens what the test itself needs.
      await withTransport(context.target, (transport) => publish(transport, testMessage()));
      await context.target.forget();
      const before = { sockets: SOCKETS.count(), timers: TIMERS.count() };
      await withTransport(context.target, (transport) => sendMany(transport, context));
      await untilAtMost(SOCKETS, before.sockets);
      await untilAtMost(TIMERS, before.timers);
    },
  },
];

async function sendMany(transport: TransportUnderTest, { target, leakMessages }: CaseContext): Promise<void> {
  const warnings: string[] = [];
  const warn = (warning: Error): number => warnings.push(warning.name);
  process.on('warning', warn);
  const { signal } = new AbortController();
  const send = async (count: number): Promise<void> => {
    const size = Math.min(transport.capabilities.maxBatch, 100);
    for (let sent = 0; sent < count; sent += size) {
      const batch = Array.from({ length: size }, (_, index) =>
        testMessage({ recordKey: `Order/${sent}-${index % 10}` }),
      );
      const outcomes = await transport.publish(batch, { signal, deadline: performance.now() + 60_000 });
      assert.deepEqual(new Set(names(outcomes)), new Set(['accepted']));
    }
    await target.forget();
  };

  await send(leakMessages); // the first round fills caches and pools
  const before = { heap: HEAP.count(), timers: TIMERS.count(), sockets: SOCKETS.count() };
  await send(leakMessages);
  process.off('warning', warn);

  assert.equal(getEventListeners(signal, 'abort').length, 0, 'listeners left on the signal');
  assert.deepEqual(warnings, []);
  await untilAtMost(TIMERS, before.timers + 2);
  await untilAtMost(SOCKETS, before.sockets);
  if (leakMessages >= MESSAGES_WORTH_WEIGHING) await untilAtMost(HEAP, before.heap + HEAP_GROWTH_LIMIT_BYTES);
}
