import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test } from 'vitest';
import { openReceiver, type Receiver } from './receiver.ts';

const SECRET = `whsec_${Buffer.from('a secret of the test, long enough').toString('base64')}`;
const BODY = '{"action":"opened"}';

let receiver: Receiver | undefined;
afterEach(async () => {
  await receiver?.close();
});

async function open(mood: number): Promise<Receiver> {
  receiver = await openReceiver({ secret: SECRET, random: () => mood, hiccupShare: 0.5 });
  return receiver;
}

async function post(url: string, id: string, secret: string = SECRET, body: string = BODY): Promise<number> {
  const sentAt = new Date();
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, sentAt, BODY),
    },
  });
  await response.arrayBuffer();
  return response.status;
}

describe('D06: the receiver of the demo', () => {
  test('accepts what is signed, and remembers repeats as such', async () => {
    const { url, accepted, distinct } = await open(0.9);
    expect([await post(url, 'a'), await post(url, 'b'), await post(url, 'a')]).toEqual([200, 200, 200]);
    expect(accepted).toEqual(['a', 'b', 'a']);
    expect(distinct()).toBe(2);
  });

  test('answers 500 now and then, and then has accepted nothing', async () => {
    const { url, accepted, hiccups } = await open(0.1);
    expect(await post(url, 'a')).toBe(500);
    expect(accepted).toEqual([]);
    expect(hiccups()).toBe(1);
  });

  test('T03: turns a forged signature, an altered body and an unsigned request away', async () => {
    const { url, accepted, forged } = await open(0.9);
    const otherSecret = `whsec_${Buffer.from('another secret, as long as it is').toString('base64')}`;
    expect(await post(url, 'a', otherSecret)).toBe(401);
    expect(await post(url, 'a', SECRET, '{"action":"closed"}')).toBe(401);
    const unsigned = await fetch(url, { method: 'POST', body: BODY });
    expect(unsigned.status).toBe(401);
    expect(accepted).toEqual([]);
    expect(forged()).toBe(3);
  });
});
