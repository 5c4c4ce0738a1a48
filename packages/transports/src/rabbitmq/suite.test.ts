import { type RabbitMqServer, startRabbitMqServer, withProgram } from '@waybill/local-servers';
import { type HeldMessage, startTcpProxy, type TransportTarget, testMessage, transportSuite } from '@waybill/testkit';
import { type Channel, connect } from 'amqplib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Transport } from '../transport.ts';
import type { RabbitMqOptions } from './options.ts';
import { rabbitMq } from './rabbitmq.ts';

const EXCHANGE = 'orders';
const QUEUE = 'orders.all';
// More than the server is given to boot, so that it says itself what went wrong.
const BOOT_TIMEOUT_MS = 360_000;
const OPEN_CONTEXT = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };

interface RabbitMq {
  readonly server: RabbitMqServer;
  /** A channel of the test's own. */
  readonly observer: Channel;
  stop(): Promise<void>;
}

/** A private broker with one exchange and one queue that gets everything from it. */
async function startRabbit(program: string): Promise<RabbitMq> {
  const server = await startRabbitMqServer(program);
  const connection = await connect({ port: server.port, username: server.user, password: server.password });
  const observer = await connection.createChannel();
  await observer.assertExchange(EXCHANGE, 'topic');
  await observer.assertQueue(QUEUE);
  await observer.bindQueue(QUEUE, EXCHANGE, '#');
  return {
    server,
    observer,
    async stop() {
      await connection.close();
      await server.stop();
    },
  };
}

function open(server: RabbitMqServer, options: Partial<RabbitMqOptions> = {}): Transport {
  return rabbitMq({
    url: `amqp://127.0.0.1:${server.port}`,
    exchange: EXCHANGE,
    credentials: { username: server.user, password: server.password },
    ...options,
  });
}

/** Takes everything out of the queue; what was confirmed is in it. */
async function drain(observer: Channel): Promise<readonly HeldMessage[]> {
  const taken: HeldMessage[] = [];
  for (;;) {
    const message = await observer.get(QUEUE, { noAck: true });
    if (!message) return taken;
    taken.push({ id: String(message.properties.messageId), body: message.content.toString() });
  }
}

function targetOf({ server, observer }: RabbitMq): () => Promise<TransportTarget> {
  return async () => {
    const line = await startTcpProxy(server.port);
    const held: HeldMessage[] = [];
    const lineFault = (mode: 'slow' | 'down' | 'cut-request' | 'cut-answer' | 'hold-answer' | 'hang') => async () => {
      await line.become(mode);
      return () => line.become('pass');
    };
    const url = `amqp://127.0.0.1:${line.port}`;
    return {
      open: async () => open(server, { url }),
      openUnauthorized: async () => open(server, { url, credentials: { username: server.user, password: 'wrong' } }),
      held: async () => {
        held.push(...(await drain(observer)));
        return [...held];
      },
      forget: async () => {
        await observer.purgeQueue(QUEUE);
        held.length = 0;
      },
      slow: lineFault('slow'),
      faults: {
        down: lineFault('down'),
        'request-cut': lineFault('cut-request'),
        'answer-cut': lineFault('cut-answer'),
        'answer-held': lineFault('hold-answer'),
        hangs: lineFault('hang'),
        refuses: async () => {
          await observer.unbindQueue(QUEUE, EXCHANGE, '#');
          return async () => {
            await observer.bindQueue(QUEUE, EXCHANGE, '#');
          };
        },
      },
      stop: () => line.stop(),
    };
  };
}

withProgram({ test }, 'rabbitmq-server', process.env, (program) => {
  describe('rabbitmq', () => {
    let rabbit: RabbitMq;
    beforeAll(async () => {
      rabbit = await startRabbit(program);
    }, BOOT_TIMEOUT_MS);
    afterAll(() => rabbit.stop(), BOOT_TIMEOUT_MS);

    transportSuite({ describe, test, beforeAll, afterAll }, 'rabbitmq', () => targetOf(rabbit)(), {
      leakMessages: Number(process.env['WAYBILL_SUITE_MESSAGES'] ?? 500),
    });

    test('T01: a message that no queue takes is refused, and the next one of another key is not', async () => {
      const transport = open(rabbit.server, { exchange: '', routingKey: ({ tenant }) => tenant ?? 'nobody' });
      const outcomes = await transport.publish([testMessage(), testMessage({ tenant: QUEUE })], OPEN_CONTEXT);
      expect(outcomes).toEqual([
        { outcome: 'refused', class: 'unroutable', detail: 'reply code 312' },
        { outcome: 'accepted', receipt: null, duplicate: false },
      ]);
      await transport.close();
    });

    test('T01: a queue that is full and takes no more is a retry', async () => {
      const full = 'full';
      await rabbit.observer.assertQueue(full, { maxLength: 1, arguments: { 'x-overflow': 'reject-publish' } });
      const transport = open(rabbit.server, { exchange: '', routingKey: () => full });
      const publish = () => transport.publish([testMessage()], OPEN_CONTEXT);
      expect(await publish()).toMatchObject([{ outcome: 'accepted' }]);
      expect(await publish()).toEqual([{ outcome: 'retry', class: 'nacked' }]);
      await transport.close();
    });

    test('T01: an exchange that is missing is a retry, and so is one that goes while it is used', async () => {
      const transport = open(rabbit.server, { exchange: 'passing' });
      const publish = () => transport.publish([testMessage()], OPEN_CONTEXT);
      expect(await publish()).toMatchObject([{ outcome: 'retry', class: 'no-exchange' }]);
      expect(await transport.probe(OPEN_CONTEXT.signal)).toMatchObject({ status: 'unreachable', class: 'no-exchange' });

      await rabbit.observer.assertExchange('passing', 'fanout');
      await rabbit.observer.bindQueue(QUEUE, 'passing', '');
      expect(await publish()).toMatchObject([{ outcome: 'accepted' }]);

      await rabbit.observer.deleteExchange('passing');
      expect(await publish()).toEqual([{ outcome: 'retry', class: 'no-exchange', detail: 'reply code 404' }]);
      await transport.close();
    });

    test('T01 T04: while the broker takes no messages none is sent, and the probe says so', async () => {
      const transport = open(rabbit.server);
      // The broker tells a connection only once that has published.
      const untilBlocked = async () => {
        const context = { ...OPEN_CONTEXT, deadline: performance.now() + 1_000 };
        const [outcome] = await transport.publish([testMessage()], context);
        return outcome;
      };
      await rabbit.server.setMemoryAlarm(true);
      try {
        await expect.poll(untilBlocked).toEqual({ outcome: 'retry', class: 'connection-blocked' });
        expect(await transport.probe(OPEN_CONTEXT.signal)).toMatchObject({
          warnings: [expect.stringMatching(/^the broker takes no messages: /)],
        });
      } finally {
        await rabbit.server.setMemoryAlarm(false);
      }
      await expect.poll(untilBlocked).toMatchObject({ outcome: 'accepted' });
      await transport.close();
    });

    test('T01: a body beyond the limit of the broker is refused where it was alone', async () => {
      const limit = 8 * 2 ** 20;
      await rabbit.server.setMaxMessageSize(limit);
      const transport = open(rabbit.server, { maxBytes: 2 * limit });
      const large = testMessage({ body: JSON.stringify('x'.repeat(limit)) });
      expect(await transport.publish([large], OPEN_CONTEXT)).toEqual([
        { outcome: 'refused', class: 'too-large', detail: 'reply code 406' },
      ]);
      expect(await transport.publish([testMessage()], OPEN_CONTEXT)).toMatchObject([{ outcome: 'accepted' }]);
      await transport.close();
    });

    test('T01: headers that AMQP cannot carry are refused, and nothing is sent', async () => {
      const transport = open(rabbit.server);
      const message = testMessage({ headers: { note: 'x'.repeat(70_000) } });
      expect(await transport.publish([message], OPEN_CONTEXT)).toMatchObject([
        { outcome: 'refused', class: 'not-encodable' },
      ]);
      await transport.close();
    });

    test('T01: more messages than the confirm window holds all arrive', async () => {
      const transport = open(rabbit.server, { confirmWindow: 2 });
      const batch = Array.from({ length: 50 }, () => testMessage());
      const outcomes = await transport.publish(batch, OPEN_CONTEXT);
      expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
      await transport.close();
    });

    test('T01: a probe warns of what is transient or missing', async () => {
      const { observer } = rabbit;
      await observer.assertExchange('weak', 'direct', { durable: false });
      await observer.assertQueue('weak', { durable: false });
      const transport = open(rabbit.server, { exchange: 'weak', queues: [QUEUE, 'weak', 'absent'] });
      expect(await transport.probe(OPEN_CONTEXT.signal)).toEqual({
        status: 'reachable',
        warnings: [
          'exchange weak is not durable: after a restart of the broker every message is unroutable',
          'queue weak is not durable: a restart of the broker loses it with its messages',
          'queue absent does not exist: what is meant for it is lost or refused',
        ],
      });
      await transport.close();
    });

    test('W17: a message carries what a consumer needs, and no header that would route it', async () => {
      const { observer } = rabbit;
      await observer.purgeQueue(QUEUE);
      await observer.assertQueue('copies');
      const transport = open(rabbit.server);
      const message = testMessage({
        recordKey: 'Issue/ü',
        tenant: 'acme',
        headers: { traceparent: '00-a-b-01', CC: 'copies' },
      });
      await transport.publish([message], OPEN_CONTEXT);
      const stored = await observer.get(QUEUE, { noAck: true });
      expect(stored && stored.properties).toMatchObject({
        messageId: message.id,
        type: message.type,
        contentType: 'application/json',
        deliveryMode: 2,
        timestamp: 1_767_323_045,
        headers: { 'waybill-record-key': 'Issue/%C3%BC', 'waybill-tenant': 'acme', traceparent: '00-a-b-01' },
      });
      expect(stored && stored.properties.headers).not.toHaveProperty('CC');
      await transport.close();
    });

    test('T02: with an envelope the message is a CloudEvent', async () => {
      const { observer } = rabbit;
      await observer.purgeQueue(QUEUE);
      const cloudEvents = { mode: 'binary', source: '/acme/orders' } as const;
      const transport = open(rabbit.server, { cloudEvents });
      const message = testMessage({ recordKey: 'Order/1' });
      await transport.publish([message], OPEN_CONTEXT);
      const stored = await observer.get(QUEUE, { noAck: true });
      expect(stored && stored.properties.headers).toMatchObject({
        cloudEvents_specversion: '1.0',
        cloudEvents_id: message.id,
        cloudEvents_partitionkey: 'Order/1',
      });
      await transport.close();
    });
  });

  test('T03: options are checked as a whole, without showing credentials', () => {
    expect(() => rabbitMq({ url: 'amqp://u:hunter2@localhost', exchange: 'x'.repeat(256), queues: [''] })).toThrow(
      /^TRN_OPTIONS_INVALID: rabbitmq: exchange: expected the name of an exchange.*rabbitmq: queues: expected a list of names of queues, got \[ '' \]; rabbitmq: url: expected no user and password \(use credentials\), got 'both or one of them'$/,
    );
  });
});
