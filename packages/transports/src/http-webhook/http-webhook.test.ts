import { once } from 'node:events';
import { createServer as createTcpServer } from 'node:net';
import { type HttpReceiver, type ReceiverAnswer, startHttpReceiver, testMessage } from '@waybill/testkit';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Transport } from '../transport.ts';
import { httpWebhook } from './http-webhook.ts';
import type { HttpWebhookOptions } from './options.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OPEN_CONTEXT = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };

describe('httpWebhook', () => {
  let receiver: HttpReceiver;
  const opened: Transport[] = [];

  function open(options: Partial<HttpWebhookOptions> = {}): Transport {
    const transport = httpWebhook({
      url: `${receiver.url}hook?a=b`,
      secrets: [SECRET],
      allowPrivateNetwork: true,
      ...options,
    });
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

  test('T03, W17: a request carries the message id, a valid signature and what a consumer needs to read it', async () => {
    const message = testMessage({
      recordKey: 'Issue/1 ü%',
      tenant: 'acme',
      attempt: 3,
      version: 2,
      body: '{ "n": 1.0 }',
      headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', internal: 'stays here' },
    });
    await open({ headers: { authorization: 'Bearer x' } }).publish([message], OPEN_CONTEXT);

    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/hook?a=b', body: '{ "n": 1.0 }' });
    const headers = request?.headers ?? {};
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer x',
      'webhook-id': message.id,
      'waybill-type': 'test.message-sent',
      'waybill-version': '2',
      'waybill-kind': 'integration-event',
      'waybill-record-key': 'Issue/1%20%C3%BC%25',
      'waybill-tenant': 'acme',
      'waybill-attempt': '3',
      'waybill-occurred-at': '2026-01-02T03:04:05.678Z',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    expect(decodeURIComponent(headers['waybill-record-key'] ?? '')).toBe('Issue/1 ü%');
    expect(headers).not.toHaveProperty('internal');
    expect(new Webhook(SECRET).verify(request?.body ?? '', headers)).toEqual({ n: 1 });
  });

  test('W17, W30: a retry has the same id and a signature of its own time', async () => {
    let wallNowMs = Date.parse('2026-01-01T00:00:00Z');
    const transport = open({ wallNow: () => wallNowMs });
    const message = testMessage();
    await transport.publish([message], OPEN_CONTEXT);
    wallNowMs += 60_000;
    await transport.publish([{ ...message, attempt: 2 }], OPEN_CONTEXT);
    const seen = receiver.requests.map(({ headers }) => [headers['webhook-id'], headers['webhook-timestamp']]);
    expect(seen).toEqual([
      [message.id, '1767225600'],
      [message.id, '1767225660'],
    ]);
  });

  test('W19: Retry-After of both forms comes back as a wait', async () => {
    const answers: ReceiverAnswer[] = [
      { status: 429, headers: { 'retry-after': '3' } },
      { status: 503, headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' } },
    ];
    receiver.answerWith(() => answers.shift() ?? { status: 204 });
    const transport = open({ wallNow: () => Date.parse('2026-01-01T00:00:00Z') });
    expect(await transport.publish([testMessage()], OPEN_CONTEXT)).toEqual([
      { outcome: 'retry', class: 'http-429', afterMs: 3_000 },
    ]);
    expect(await transport.publish([testMessage()], OPEN_CONTEXT)).toEqual([
      { outcome: 'retry', class: 'http-503', afterMs: 5_000 },
    ]);
  });

  test('T03: a redirect is refused and never followed', async () => {
    const inside = await startHttpReceiver();
    receiver.answerWith(() => ({ status: 307, headers: { location: inside.url } }));
    expect(await open().publish([testMessage()], OPEN_CONTEXT)).toEqual([
      { outcome: 'refused', class: 'redirect', detail: 'http-307' },
    ]);
    expect(inside.requests).toEqual([]);
    expect(receiver.requests).toHaveLength(1);
    await inside.stop();
  });

  test('T03: an answer that never ends is given up after 16 KiB, and its status counts', async () => {
    receiver.answerWith(() => ({ status: 200, body: 'x'.repeat(10_000_000) }));
    expect(await open().publish([testMessage()], OPEN_CONTEXT)).toEqual([
      { outcome: 'accepted', receipt: null, duplicate: false },
    ]);
    expect(await open().publish([testMessage()], OPEN_CONTEXT)).toMatchObject([{ outcome: 'accepted' }]);
  });

  test('T01, F010: a refused message stops its key only', async () => {
    const [first, bad, behind, other] = [
      testMessage({ recordKey: 'A/1' }),
      testMessage({ recordKey: 'A/1' }),
      testMessage({ recordKey: 'A/1' }),
      testMessage({ recordKey: 'B/1' }),
    ];
    receiver.answerWith(({ headers }) => ({ status: headers['webhook-id'] === bad.id ? 422 : 204 }));
    expect(await open().publish([first, bad, behind, other], OPEN_CONTEXT)).toMatchObject([
      { outcome: 'accepted' },
      { outcome: 'refused', class: 'http-422' },
      { outcome: 'retry', class: 'not-sent' },
      { outcome: 'accepted' },
    ]);
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).not.toContain(behind.id);
  });

  test('T03: no more requests are under way than the concurrency allows', async () => {
    let underWay = 0;
    let most = 0;
    let fill = (): void => undefined;
    const full = new Promise<void>((resolve) => {
      fill = resolve;
    });
    receiver.answerWith(async () => {
      most = Math.max(most, ++underWay);
      if (underWay === 3) fill();
      await full;
      underWay--;
      return { status: 204 };
    });
    const batch = Array.from({ length: 40 }, () => testMessage());
    const transport = open({ concurrency: 3 });
    await Promise.all([
      transport.publish(batch.slice(20), OPEN_CONTEXT),
      transport.publish(batch.slice(0, 20), OPEN_CONTEXT),
    ]);
    expect(receiver.requests).toHaveLength(40);
    expect(most).toBe(3);
  });

  test('T04: a request that waits for a connection is not sent after the deadline', async () => {
    let release = (): void => undefined;
    const arrived = new Promise<void>((resolve) => {
      receiver.answerWith(async () => {
        resolve();
        await new Promise<void>((free) => {
          release = free;
        });
        return { status: 204 };
      });
    });
    const transport = open({ concurrency: 1 });
    const first = transport.publish([testMessage()], OPEN_CONTEXT);
    await arrived;
    const late = await transport.publish([testMessage()], { ...OPEN_CONTEXT, deadline: performance.now() + 30 });
    expect(late).toMatchObject([{ outcome: 'retry', class: 'not-sent' }]);
    release();
    expect(await first).toMatchObject([{ outcome: 'accepted' }]);
    receiver.answerWith(() => ({ status: 204 }));
    await transport.publish([testMessage()], OPEN_CONTEXT);
    expect(receiver.requests).toHaveLength(2);
  });

  test('T04: the clock counts, not the timer', async () => {
    const transport = open({ now: () => 1_000 });
    expect(await transport.publish([testMessage()], { ...OPEN_CONTEXT, deadline: 1_000 })).toMatchObject([
      { outcome: 'retry', class: 'not-sent' },
    ]);
    expect(receiver.requests).toEqual([]);
  });

  test('F035: a deadline beyond the longest timer sets none', async () => {
    const warn = vi.spyOn(process, 'emitWarning');
    expect(
      await open().publish([testMessage()], { ...OPEN_CONTEXT, deadline: performance.now() + 2 ** 40 }),
    ).toMatchObject([{ outcome: 'accepted' }]);
    expect(warn).not.toHaveBeenCalled();
  });

  test('T01: a name without an address and a certificate that is not trusted are a retry', async () => {
    const notFound = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    const unknown = open({ url: 'https://nowhere.example/', resolveHost: () => Promise.reject(notFound) });
    expect(await unknown.publish([testMessage()], OPEN_CONTEXT)).toEqual([
      { outcome: 'retry', class: 'dns', detail: 'ENOTFOUND' },
    ]);
    const plain = open({ url: `https://127.0.0.1:${receiver.port}/` });
    expect(await plain.publish([testMessage()], OPEN_CONTEXT)).toMatchObject([{ outcome: 'retry', class: 'tls' }]);
  });

  test('T03: an answer that does not come within the limit, or that is not HTTP, is unknown', async () => {
    receiver.answerWith(() => new Promise<never>(() => undefined));
    expect(await open({ headersTimeoutMs: 50 }).publish([testMessage()], OPEN_CONTEXT)).toEqual([
      { outcome: 'unknown', class: 'headers-timeout', detail: 'UND_ERR_HEADERS_TIMEOUT' },
    ]);

    const babbler = createTcpServer((socket) => socket.on('error', () => undefined).end('220 mail.example ESMTP\r\n'));
    babbler.listen(0, '127.0.0.1');
    await once(babbler, 'listening');
    const address = babbler.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    expect(await open({ url: `http://127.0.0.1:${port}/` }).publish([testMessage()], OPEN_CONTEXT)).toMatchObject([
      { outcome: 'unknown' },
    ]);
    babbler.close();
  });

  test('T02, T03: a CloudEvents envelope is signed as it is sent', async () => {
    const message = testMessage({ body: '{"n":1}', recordKey: 'Order/ü' });
    await open({ cloudEvents: { mode: 'binary', source: '/acme' } }).publish([message], OPEN_CONTEXT);
    await open({ cloudEvents: { mode: 'structured', source: '/acme' } }).publish([message], OPEN_CONTEXT);
    const [binary, structured] = receiver.requests;
    expect(binary?.headers).toMatchObject({
      'ce-id': message.id,
      'ce-subject': 'Order/%C3%BC',
      'content-type': 'application/json',
    });
    expect(binary?.body).toBe('{"n":1}');
    expect(structured?.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
    expect(new Webhook(SECRET).verify(structured?.body ?? '', structured?.headers ?? {})).toMatchObject({
      id: message.id,
      subject: 'Order/ü',
      data: { n: 1 },
    });
  });
});
