import { createClient } from 'redis';
import type { Consume } from '../billing/consumer.ts';

const STREAM = 'shop';
const GROUP = 'billing';
// One consumer under one name: after a crash it finds what it had read and not acknowledged, and the order is kept.
const CONSUMER = 'billing-1';
const BLOCK_MS = 1_000;

export const consume: Consume = async ({ billing, source, onReady }) => {
  const client = createClient({ url: source.url, socket: { reconnectStrategy: false } });
  client.on('error', () => undefined); // it also rejects what is under way
  await client.connect();
  try {
    await client.xGroupCreate(STREAM, GROUP, '0', { MKSTREAM: true });
  } catch (error) {
    if (!String(error).includes('BUSYGROUP')) throw error; // there is one already
  }
  onReady(`stream ${STREAM}`);
  // At first what was read before and not acknowledged, and new entries once there is nothing left of that.
  for (let from = '0'; ; ) {
    const read = await client.xReadGroup(GROUP, CONSUMER, { key: STREAM, id: from }, { COUNT: 10, BLOCK: BLOCK_MS });
    const entries = (read as readonly StreamRead[] | null)?.[0]?.messages ?? [];
    if (entries.length === 0) from = '>';
    for (const { id: entry, message } of entries) {
      await billing.receive({
        id: message['id'] ?? '',
        type: message['waybill-type'] ?? '',
        version: Number(message['waybill-version']),
        body: message['body'] ?? '',
      });
      await client.xAck(STREAM, GROUP, entry);
    }
  }
};

/** What a read gives, as far as it is used; the client's own type allows for every option. */
interface StreamRead {
  readonly messages: readonly { readonly id: string; readonly message: Readonly<Record<string, string>> }[];
}
