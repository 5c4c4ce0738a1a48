import assert from 'node:assert/strict';
import { testMessage } from '../test-message.ts';
import { heldOf, names, publish, withTransport } from './sending.ts';
import type { SuiteCase } from './suite-case.ts';

/** What an accepted message means. */
export const DELIVERY_CASES: readonly SuiteCase[] = [
  {
    title: 'T01, W18: an accepted message is at its target, byte for byte',
    run: ({ target }) =>
      withTransport(target, async (transport) => {
        // Number text, key order, escapes and spaces that a second JSON.stringify would change.
        const message = testMessage({
          body: '{ "z":1.0, "a":12345678901234567890, "s":"\\u0000 ü \\"€\\"" }',
          recordKey: 'Issue/1 ü"%',
        });
        assert.deepEqual(names(await publish(transport, message)), ['accepted']);
        const held = (await target.held()).find(({ id }) => id === message.id);
        assert.equal(held?.body, message.body);
      }),
  },
  {
    title: 'T01, W17: the message id is at the boundary, the same on every attempt',
    run: ({ target }) =>
      withTransport(target, async (transport) => {
        const message = testMessage();
        await publish(transport, message);
        const [again] = await publish(transport, { ...message, attempt: 2 });
        assert.equal(again?.outcome, 'accepted');
        const ids = await heldOf(target, [message]);
        const claimed = transport.capabilities.dedup === 'window';
        assert.equal(
          ids.length,
          claimed ? 1 : 2,
          claimed ? 'a repeat is suppressed where dedup is claimed' : 'a repeat arrives under its id',
        );
        if (claimed) assert.ok(again.duplicate, 'a suppressed repeat is reported as one');
      }),
  },
  {
    title: 'T01: messages of one record key arrive in order, those of all keys arrive',
    run: ({ target }) =>
      withTransport(target, async (transport) => {
        const batch = Array.from({ length: 60 }, (_, index) => testMessage({ recordKey: `Order/${index % 4}` }));
        assert.deepEqual(new Set(names(await publish(transport, ...batch))), new Set(['accepted']));
        for (const key of new Set(batch.map(({ recordKey }) => recordKey))) {
          const ofKey = batch.filter(({ recordKey }) => recordKey === key);
          assert.deepEqual(
            await heldOf(target, ofKey),
            ofKey.map(({ id }) => id),
          );
        }
      }),
  },
  {
    title: 'T01: a message that is too large is refused, is not sent, and stops its key only',
    run: ({ target }) =>
      withTransport(target, async (transport) => {
        const body = JSON.stringify('x'.repeat(transport.capabilities.maxBytes));
        const [first, large, behind, other, unkeyed] = [
          testMessage({ recordKey: 'Order/large' }),
          testMessage({ recordKey: 'Order/large', body }),
          testMessage({ recordKey: 'Order/large' }),
          testMessage({ recordKey: 'Order/other' }),
          testMessage(),
        ] as const;
        const batch = [first, large, behind, other, unkeyed];
        const outcomes = await publish(transport, ...batch);
        assert.deepEqual(names(outcomes), ['accepted', 'refused', 'retry', 'accepted', 'accepted']);
        assert.equal(outcomes[1]?.outcome === 'refused' && outcomes[1].class, 'too-large');
        assert.equal(outcomes[2]?.outcome === 'retry' && outcomes[2].class, 'not-sent');
        assert.deepEqual(new Set(await heldOf(target, batch)), new Set([first.id, other.id, unkeyed.id]));
      }),
  },
  {
    title: 'T01: an empty batch has no outcomes, and a probe leaves nothing behind',
    run: ({ target }) =>
      withTransport(target, async (transport) => {
        assert.deepEqual(await publish(transport), []);
        const before = (await target.held()).length;
        const { status } = await transport.probe(new AbortController().signal);
        assert.equal(status, 'reachable');
        assert.equal((await target.held()).length, before);
      }),
  },
];
