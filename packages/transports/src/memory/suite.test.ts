import { type TransportTarget, testMessage, transportSuite } from '@waybill/testkit';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { OutgoingMessage } from '../transport.ts';
import { type MemoryTransport, memory } from './memory.ts';

async function startTarget(): Promise<TransportTarget> {
  const held: OutgoingMessage[] = [];
  let refuses = false;
  const opened: MemoryTransport[] = [];
  const open = async () => {
    const transport = memory({
      respond(message) {
        if (refuses) return { outcome: 'refused', class: 'scripted' };
        held.push(message);
        return { outcome: 'accepted', receipt: null, duplicate: false };
      },
    });
    opened.push(transport);
    return transport;
  };
  return {
    open,
    openUnauthorized: { notApplicable: 'memory has no credentials' },
    held: async () => [...held],
    forget: async () => {
      held.length = 0;
      for (const transport of opened) transport.clear();
    },
    slow: { notApplicable: 'there is no line that could be slow' },
    faults: {
      'request-cut': { notApplicable: 'there is no line that could break' },
      down: { notApplicable: 'memory is always there' },
      'answer-cut': { notApplicable: 'there is no line that could break' },
      'answer-held': { notApplicable: 'there is no line that could be slow' },
      hangs: { notApplicable: 'there is no line that could hang' },
      refuses: async () => {
        refuses = true;
        return async () => {
          refuses = false;
        };
      },
    },
    stop: async () => undefined,
  };
}

transportSuite({ describe, test, beforeAll, afterAll }, 'memory', startTarget, {
  leakMessages: Number(process.env['WAYBILL_SUITE_MESSAGES'] ?? 500),
});

test('T01: the memory transport lists what it accepted until it is cleared', async ({ expect }) => {
  const transport = memory();
  const messages = [testMessage({ recordKey: 'Order/1' }), testMessage({ recordKey: 'Order/1' })];
  await transport.publish(messages, { signal: new AbortController().signal, deadline: performance.now() + 1_000 });
  expect(transport.accepted).toEqual(messages);
  transport.clear();
  expect(transport.accepted).toEqual([]);
});
