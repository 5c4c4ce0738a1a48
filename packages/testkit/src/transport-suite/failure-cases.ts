import assert from 'node:assert/strict';
import type { TransportOutcomeName } from '@waybill/contracts';
import { testMessage } from '../test-message.ts';
import { heldOf, names, publish, publishFor, publishUntilAccepted, withTransport } from './sending.ts';
import { offered, type SuiteCase } from './suite-case.ts';
import type { TransportFault } from './target.ts';

/** What a fault has to look like from outside. */
interface ExpectedOfFault {
  readonly outcomes: readonly TransportOutcomeName[];
  /** How often the target may hold the message afterwards. */
  readonly held: 0 | 1;
}

const EXPECTED: Readonly<Record<TransportFault, ExpectedOfFault>> = {
  // A connection that broke a moment ago may take bytes before it says so, and then nobody knows where they went.
  down: { outcomes: ['retry', 'unknown'], held: 0 },
  // Bytes left, and nobody can know that they did not arrive.
  'request-cut': { outcomes: ['retry', 'unknown'], held: 0 },
  'answer-cut': { outcomes: ['unknown'], held: 1 },
  'answer-held': { outcomes: ['unknown'], held: 1 },
  hangs: { outcomes: ['unknown'], held: 1 },
  refuses: { outcomes: ['refused'], held: 0 },
};

// Long enough for a message to reach a local target, short enough to wait for in vain.
const FAULT_DEADLINE_MS = 1_500;

/** The outcome of each fault, and that a transport recovers from it without sending anything twice on its own. */
export const FAILURE_CASES: readonly SuiteCase[] = [
  ...(Object.keys(EXPECTED) as TransportFault[]).map(faultCase), // the keys of a Record are its key type
  {
    title: 'T01: a target that is down before the first publish is a retry, and a probe says so',
    async run(context) {
      const { target } = context;
      const heal = await offered(target.faults.down, context)();
      try {
        await withTransport(target, async (transport) => {
          const message = testMessage();
          assert.deepEqual(names(await publishFor(transport, [message], FAULT_DEADLINE_MS)), ['retry']);
          const { status } = await transport.probe(AbortSignal.timeout(FAULT_DEADLINE_MS));
          assert.equal(status, 'unreachable');
          await heal();
          await publishUntilAccepted(transport);
          assert.deepEqual(await heldOf(target, [message]), [], 'a message given back as retry is not sent later');
        });
      } finally {
        await heal();
      }
    },
  },
  {
    title: 'T01: a target that answers late, but before the deadline, has accepted',
    async run(context) {
      const { target } = context;
      const make = offered(target.slow, context);
      await withTransport(target, async (transport) => {
        await publish(transport, testMessage());
        const heal = await make();
        const batch = [testMessage({ recordKey: 'Order/slow' }), testMessage({ recordKey: 'Order/slow' })];
        try {
          assert.deepEqual(names(await publish(transport, ...batch)), ['accepted', 'accepted']);
        } finally {
          await heal();
        }
        assert.deepEqual(
          await heldOf(target, batch),
          batch.map(({ id }) => id),
        );
      });
    },
  },
  {
    title: 'T01, F026: a connection that no longer answers is replaced by the next publish',
    async run(context) {
      const { target } = context;
      const hang = offered(target.faults.hangs, context);
      await withTransport(target, async (transport) => {
        await publish(transport, testMessage());
        const heal = await hang();
        try {
          assert.deepEqual(names(await publishFor(transport, [testMessage()], FAULT_DEADLINE_MS)), ['unknown']);
          assert.deepEqual(names(await publish(transport, testMessage())), ['accepted']);
        } finally {
          await heal();
        }
      });
    },
  },
  {
    title: 'T01: wrong credentials are never accepted',
    async run(context) {
      const { target } = context;
      const transport = await offered(target.openUnauthorized, context)();
      try {
        const message = testMessage();
        const [outcome] = await publishFor(transport, [message], FAULT_DEADLINE_MS * 2);
        assert.match(outcome?.outcome ?? '', /^(refused|retry)$/, JSON.stringify(outcome));
        assert.deepEqual(await heldOf(target, [message]), []);
      } finally {
        await transport.close();
      }
    },
  },
];

function faultCase(fault: TransportFault): SuiteCase {
  const { outcomes, held } = EXPECTED[fault];
  return {
    title: `T01, T04: fault "${fault}" is ${outcomes.join(' or ')}, nothing is sent twice, and the next message is accepted`,
    async run(context) {
      const { target } = context;
      const make = offered(target.faults[fault], context);
      await withTransport(target, async (transport) => {
        assert.deepEqual(names(await publish(transport, testMessage())), ['accepted']);
        const [message, behind] = [
          testMessage({ recordKey: 'Order/fault' }),
          testMessage({ recordKey: 'Order/fault' }),
        ];
        const heal = await make();
        try {
          const [first, second] = await publishFor(transport, [message, behind], FAULT_DEADLINE_MS);
          assert.ok(first && outcomes.includes(first.outcome), JSON.stringify(first));
          const wasNotSent = second?.outcome === 'retry' && second.class === 'not-sent';
          const sharesOutcome = target.runsGoAsOne === true && second?.outcome === first.outcome;
          assert.ok(wasNotSent || sharesOutcome, JSON.stringify(second));
        } finally {
          await heal();
        }
        await publishUntilAccepted(transport);
        assert.equal((await heldOf(target, [message])).length, held);
        assert.equal((await heldOf(target, [behind])).length, target.runsGoAsOne ? held : 0);
      });
    },
  };
}
