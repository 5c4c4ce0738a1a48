import { type HttpReceiver, startHttpReceiver, testMessage } from '@waybill/testkit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Transport } from '../transport.ts';
import { httpWebhook } from './http-webhook.ts';
import type { HttpWebhookOptions } from './options.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OPEN_CONTEXT = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };

describe('httpWebhook and names', () => {
  let receiver: HttpReceiver;
  const opened: Transport[] = [];

  /** With the guard, though at the receiver's port and without TLS. */
  function open(options: Partial<HttpWebhookOptions>): Transport {
    const { port, url } = receiver;
    const transport = httpWebhook({ url, secrets: [SECRET], allowHttp: true, allowedPorts: [port], ...options });
    opened.push(transport);
    return transport;
  }

  beforeEach(async () => {
    receiver = await startHttpReceiver();
  });
  afterEach(async () => {
    for (const transport of opened.splice(0)) await transport.close();
    await receiver.stop();
  });

  test('T03: a name that resolves to the inside is not connected to, one such address among many is enough', async () => {
    const { port } = receiver;
    const answers = [
      [{ address: '127.0.0.1', family: 4 }],
      [
        { address: '93.184.216.34', family: 4 },
        { address: '::ffff:127.0.0.1', family: 6 },
      ],
    ];
    for (const answer of answers) {
      const transport = open({
        url: `http://rebind.example:${port}/`,
        resolveHost: async () => answer,
      });
      expect(await transport.publish([testMessage()], OPEN_CONTEXT)).toEqual([
        { outcome: 'retry', class: 'address-forbidden', detail: 'WAYBILL_ADDRESS_FORBIDDEN' },
      ]);
      expect(await transport.probe(OPEN_CONTEXT.signal)).toMatchObject({
        status: 'unreachable',
        class: 'address-forbidden',
      });
    }
    expect(receiver.requests).toEqual([]);
  });

  test('T03: the address that was checked is the one connected to, whatever the name says next (DNS rebinding)', async () => {
    const { port } = receiver;
    const resolveHost = vi.fn(async () => [
      { address: resolveHost.mock.calls.length === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 },
    ]);
    const transport = open({
      url: `http://rebind.example:${port}/`,
      allowedNetworks: ['127.0.0.1'],
      resolveHost,
    });
    expect(await transport.publish([testMessage()], OPEN_CONTEXT)).toMatchObject([{ outcome: 'accepted' }]);
    expect(resolveHost).toHaveBeenCalledTimes(1);
    expect(receiver.requests[0]?.headers['host']).toBe(`rebind.example:${port}`);
  });

  test('T03: a name that was public is looked up again for every connection, and stopped once it leads inside', async () => {
    const { port } = receiver;
    // The receiver stands for what is public; the other address of this machine for what is inside.
    const resolveHost = vi.fn(async () => [
      { address: resolveHost.mock.calls.length === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 },
    ]);
    const transport = open({
      url: `http://rebind.example:${port}/`,
      allowedNetworks: ['127.0.0.1'],
      resolveHost,
    });
    // The connection ends with the answer, so that the next request needs one of its own.
    receiver.answerWith(() => ({ status: 204, headers: { connection: 'close' } }));
    expect(await transport.publish([testMessage()], OPEN_CONTEXT)).toMatchObject([{ outcome: 'accepted' }]);
    expect(await transport.publish([testMessage()], OPEN_CONTEXT)).toMatchObject([
      { outcome: 'retry', class: 'address-forbidden' },
    ]);
    expect(resolveHost).toHaveBeenCalledTimes(2);
    expect(receiver.requests).toHaveLength(1);
  });

  test.each(['localhost', 'LOCALHOST', 'ⓛocalhost'])('T03: %s is not public', async (host) => {
    const { port } = receiver;
    const transport = open({
      url: `http://${host}:${port}/`,
    });
    expect(await transport.publish([testMessage()], OPEN_CONTEXT)).toMatchObject([
      { outcome: 'retry', class: 'address-forbidden' },
    ]);
    expect(receiver.requests).toEqual([]);
  });

  test.each(['127.0.0.1.nip.example', 'inside.example.', 'xn--caf-dma.example'])(
    'T03: %s, whoever says so, does not lead inside',
    async (host) => {
      for (const address of [
        '10.0.0.1',
        '169.254.169.254',
        '::1',
        '::ffff:10.0.0.1',
        'fe80::1%eth0',
        'fd00::1',
        '64:ff9b::a00:1',
      ]) {
        const transport = open({
          url: `http://${host}:${receiver.port}/`,
          resolveHost: async () => [{ address, family: address.includes(':') ? 6 : 4 }],
        });
        expect(await transport.publish([testMessage()], OPEN_CONTEXT)).toMatchObject([
          { outcome: 'retry', class: 'address-forbidden' },
        ]);
      }
    },
  );
});
