import assert from 'node:assert/strict';
import { type TestMessage, testMessage } from '../test-message.ts';
import { names, publish, withTransport } from './sending.ts';
import type { SuiteCase } from './suite-case.ts';

/** What applications put into headers and keys, by mistake or to do harm. */
const ODDITIES: Readonly<Record<string, Partial<TestMessage>>> = {
  'a line break in a header': { headers: { note: 'a\r\nwebhook-id: forged\r\n\r\nbody' } },
  'a line break in the name of a header': { headers: { 'note\r\nforged: x': 'y' } },
  'a header without a name': { headers: { '': 'x' } },
  'a header with an empty value': { headers: { note: '' } },
  'a header of other letters': { headers: { note: 'Grüße € 𝄞' } },
  'the name of a header of other letters': { headers: { 'größe €': 'x' } },
  'a NUL in a header': { headers: { note: 'a\0b' } },
  'a traceparent that is none': { headers: { traceparent: 'a\r\nb: c', tracestate: '\u0000' } },
  'headers named like those of others': {
    headers: {
      'waybill-type': 'forged',
      'Nats-Msg-Id': 'forged',
      CC: 'forged',
      'webhook-id': 'forged',
      id: 'forged',
      ce_id: 'forged',
    },
  },
  'a header named like what objects have': {
    headers: Object.fromEntries(['__proto__', 'constructor', 'toString'].map((name) => [name, 'x'])),
  },
  'a header of 64 KB': { headers: { note: 'x'.repeat(65_536) } },
  'many headers': { headers: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`note-${index}`, 'x'])) },
  'a NUL in the key': { recordKey: 'Order/\0' },
  'a line break in the key': { recordKey: 'Order/1\r\nx: y' },
  'a key of other letters': { recordKey: 'Größe/€ 𝄞' },
  'half a letter in the key': { recordKey: 'Order/\ud800' },
  'a key of 64 KB': { recordKey: 'k'.repeat(65_536) },
  'a line break in the tenant': { tenant: 'acme\r\nx: y' },
  'a body of other letters': { body: '{"note":"Grüße € 𝄞 \\u0000"}' },
};

/** That what is odd about one message is its own affair. */
export const ODD_MESSAGE_CASES: readonly SuiteCase[] = [
  {
    title: 'T01: an odd message is taken as it is or refused for good, and harms none beside it or behind it',
    run: ({ target }) =>
      withTransport(target, async (transport) => {
        const odd = Object.entries(ODDITIES).map(([oddity, given]) => ({ oddity, message: testMessage(given) }));
        for (const { oddity, message } of odd) {
          const beside = testMessage({ recordKey: 'Order/beside' });
          const [outcome, other] = await publish(transport, message, beside);
          assert.match(outcome?.outcome ?? '', /^(accepted|refused)$/, `${oddity}: ${JSON.stringify(outcome)}`);
          assert.equal(other?.outcome, 'accepted', `beside ${oddity}: ${JSON.stringify(other)}`);
          assert.deepEqual(names(await publish(transport, testMessage())), ['accepted'], `behind ${oddity}`);
          const held = (await target.held()).filter(({ id }) => id === message.id);
          const bodies = outcome?.outcome === 'accepted' ? [message.body] : [];
          assert.deepEqual(
            held.map(({ body }) => body),
            bodies,
            oddity,
          );
          await target.forget();
        }
      }),
  },
];
