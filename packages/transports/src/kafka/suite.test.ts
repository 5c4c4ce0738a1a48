import { randomUUID } from 'node:crypto';
import { Consumer } from '@platformatic/kafka';
import { type KafkaBroker, type KafkaRecord, startKafkaBroker } from '@waybill/local-servers';
import { startTcpProxy, type TransportTarget, testMessage, transportSuite } from '@waybill/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Transport } from '../transport.ts';
import { kafka } from './kafka.ts';
import type { KafkaOptions } from './options.ts';

const TOPIC = 'orders';
const PARTITIONS = 3;
const USER = { username: 'waybill', password: 'right' };
const OPEN_CONTEXT = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };
const TOPIC_AUTHORIZATION_FAILED = 29;
const NOT_LEADER_OR_FOLLOWER = 6;
const NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20;

function startBroker(): Promise<KafkaBroker> {
  return startKafkaBroker({ topic: TOPIC, partitions: PARTITIONS, credentials: USER });
}

function open(port: number, options: Partial<KafkaOptions> = {}): Transport {
  const credentials = { mechanism: 'PLAIN', ...USER } as const;
  return kafka({ brokers: [`127.0.0.1:${port}`], topic: TOPIC, credentials, ...options });
}

function idOf({ headers }: KafkaRecord): string {
  return headers['waybill-id'] ?? '';
}

async function startTarget(): Promise<TransportTarget> {
  const broker = await startBroker();
  const line = await startTcpProxy(broker.port);
  broker.advertise(line.port);
  const lineFault = (mode: 'slow' | 'down' | 'cut-request' | 'cut-answer' | 'hold-answer' | 'hang') => async () => {
    await line.become(mode);
    return () => line.become('pass');
  };
  const wrong = { mechanism: 'PLAIN', ...USER, password: 'wrong' } as const;
  return {
    open: async () => open(line.port),
    openUnauthorized: async () => open(line.port, { credentials: wrong }),
    runsGoAsOne: true,
    held: async () => broker.records().map((record) => ({ id: idOf(record), body: record.value })),
    forget: async () => broker.forget(),
    slow: lineFault('slow'),
    faults: {
      down: lineFault('down'),
      'request-cut': lineFault('cut-request'),
      'answer-cut': lineFault('cut-answer'),
      'answer-held': lineFault('hold-answer'),
      hangs: lineFault('hang'),
      refuses: async () => {
        broker.refuseProduce(TOPIC_AUTHORIZATION_FAILED);
        return async () => broker.refuseProduce(null);
      },
    },
    stop: async () => {
      await line.stop();
      await broker.stop();
    },
  };
}

transportSuite({ describe, test, beforeAll, afterAll }, 'kafka', startTarget, {
  leakMessages: Number(process.env['WAYBILL_SUITE_MESSAGES'] ?? 500),
});

describe('kafka', () => {
  let broker: KafkaBroker;
  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(() => broker.stop());

  test('T01: publishes that overlap share no sequence number, so that the broker drops none of them', async () => {
    const transport = open(broker.port);
    broker.forget();
    const messages = Array.from({ length: 40 }, () => testMessage({ recordKey: 'Order/1' }));
    const outcomes = await Promise.all(
      messages.map((message) =>
        transport.publish([message], { ...OPEN_CONTEXT, signal: new AbortController().signal }),
      ),
    );
    const receipts = outcomes.flat().map((outcome) => outcome.outcome === 'accepted' && outcome.receipt);
    expect(new Set(receipts).size).toBe(messages.length);
    expect(broker.records().map(idOf)).toEqual(messages.map(({ id }) => id));
    await transport.close();
  });

  test('T01: after an answer that was lost the next message is no repeat to the broker', async () => {
    const line = await startTcpProxy(broker.port);
    broker.advertise(line.port);
    const transport = open(line.port);
    const [first, second, third] = ['a', 'b', 'c'].map(() => testMessage({ recordKey: 'Order/1' }));
    if (!first || !second || !third) throw new Error('three messages');
    broker.forget();
    await transport.publish([first], OPEN_CONTEXT);
    await line.become('cut-answer');
    expect(await transport.publish([second], OPEN_CONTEXT)).toMatchObject([{ outcome: 'unknown' }]);
    await line.become('pass');
    expect(await transport.publish([third], OPEN_CONTEXT)).toMatchObject([{ outcome: 'accepted' }]);
    expect(broker.records().map(idOf)).toEqual([first.id, second.id, third.id]);
    await transport.close();
    broker.advertise(broker.port);
    await line.stop();
  });

  test.each([
    [NOT_LEADER_OR_FOLLOWER, { outcome: 'retry', class: 'broker-refused', detail: 'NOT_LEADER_OR_FOLLOWER' }],
    [
      NOT_ENOUGH_REPLICAS_AFTER_APPEND,
      { outcome: 'unknown', class: 'replicas-silent', detail: 'NOT_ENOUGH_REPLICAS_AFTER_APPEND' },
    ],
    [
      TOPIC_AUTHORIZATION_FAILED,
      { outcome: 'refused', class: 'permission-denied', detail: 'TOPIC_AUTHORIZATION_FAILED' },
    ],
  ])(
    'T01 T04: error %d of the broker is its outcome at once, without a try of the client’s own',
    async (code, outcome) => {
      const transport = open(broker.port);
      broker.refuseProduce(code);
      const before = broker.produceRequests();
      expect(await transport.publish([testMessage()], OPEN_CONTEXT)).toEqual([outcome]);
      expect(broker.produceRequests() - before).toBe(1);
      broker.refuseProduce(null);
      expect(await transport.publish([testMessage()], OPEN_CONTEXT)).toMatchObject([{ outcome: 'accepted' }]);
      await transport.close();
    },
  );

  test('T01: of a batch that the broker finds too large only the message that is so is refused', async () => {
    const transport = open(broker.port);
    broker.limitBatches(2_000);
    const large = JSON.stringify('x'.repeat(3_000));
    const batch = [
      testMessage({ recordKey: 'Order/1' }),
      testMessage({ recordKey: 'Order/1', body: large }),
      testMessage({ recordKey: 'Order/1' }),
    ];
    const outcomes = await transport.publish(batch, OPEN_CONTEXT);
    broker.limitBatches(1_048_588);
    expect(outcomes).toMatchObject([
      { outcome: 'accepted' },
      { outcome: 'refused', class: 'too-large' },
      { outcome: 'retry', class: 'not-sent' },
    ]);
    await transport.close();
  });

  test('T01: a topic that is not there is a retry, and the probe says so', async () => {
    const transport = open(broker.port, { topic: 'absent' });
    const missing = { class: 'unknown-topic' };
    expect(await transport.publish([testMessage()], OPEN_CONTEXT)).toMatchObject([{ outcome: 'retry', ...missing }]);
    expect(await transport.probe(OPEN_CONTEXT.signal)).toMatchObject({ status: 'unreachable', ...missing });
    await transport.close();
  });

  test('T01: a probe warns of a partition without a second replica', async () => {
    const transport = open(broker.port);
    expect(await transport.probe(OPEN_CONTEXT.signal)).toEqual({
      status: 'reachable',
      warnings: ['a partition has one replica: the loss of its broker loses accepted messages'],
    });
    await transport.close();
  });

  test('W17: a record carries its key and what a consumer needs', async () => {
    const transport = open(broker.port);
    broker.forget();
    const message = testMessage({ recordKey: 'Issue/ü', tenant: 'acme', headers: { traceparent: '00-a-b-01' } });
    await transport.publish([message, testMessage()], OPEN_CONTEXT);
    const record = broker.records().find(({ key }) => key === 'Issue/ü');
    expect(record?.headers).toMatchObject({
      'waybill-id': message.id,
      'waybill-tenant': 'acme',
      'content-type': 'application/json',
      traceparent: '00-a-b-01',
    });
    expect(broker.records().map(({ key }) => key)).toContain(null);
    await transport.close();
  });

  test('T02: with an envelope the record is a CloudEvent', async () => {
    const transport = open(broker.port, { cloudEvents: { mode: 'binary', source: '/acme/orders' } });
    broker.forget();
    const message = testMessage({ recordKey: 'Order/1' });
    await transport.publish([message], OPEN_CONTEXT);
    expect(broker.records()[0]?.headers).toMatchObject({ ce_specversion: '1.0', ce_id: message.id });
    await transport.close();
  });

  test('T03: options are checked as a whole, without showing credentials', () => {
    const credentials = { mechanism: 'PLAIN', username: 'u', password: 'hunter2' } as const;
    expect(() => kafka({ brokers: ['nowhere'], topic: 'a b', credentials })).toThrow(
      "kafka: brokers: expected a list of at least one host:port, got [ 'nowhere' ]; kafka: topic: expected the name of a topic, got 'a b'",
    );
  });

  test('T03: a sign-in that cannot work is found out at once, without showing a secret', () => {
    const options = { brokers: ['kafka:9092'], topic: 'orders' };
    const credentials = { mechanism: 'SCRAM-SHA-1', username: '', password: 'hunter2' } as unknown;
    const given = { ...options, credentials, tls: { ca: 'hunter3' } } as KafkaOptions; // as JavaScript may call it
    expect(() => kafka(given)).toThrow(
      "TRN_OPTIONS_INVALID: kafka: credentials.mechanism: expected one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, got 'SCRAM-SHA-1'; kafka: credentials.username: expected a text that is not empty, got 'string'; kafka: tls.ca: expected certificates in PEM, got 'string'",
    );
    for (const mechanism of ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const)
      expect(kafka({ ...options, credentials: { mechanism, ...USER }, tls: {} }).name).toBe('kafka');
  });
});

test('T01: a real cluster has what it acknowledged, in order (WAYBILL_KAFKA_BROKERS and WAYBILL_KAFKA_TOPIC)', async (context) => {
  const brokers = process.env['WAYBILL_KAFKA_BROKERS']?.split(',');
  const topic = process.env['WAYBILL_KAFKA_TOPIC'];
  if (!brokers || !topic) return context.skip('no cluster is given: WAYBILL_KAFKA_BROKERS, WAYBILL_KAFKA_TOPIC');
  const consumer = new Consumer({ groupId: randomUUID(), clientId: 'waybill-test', bootstrapBrokers: brokers });
  const stream = await consumer.consume({ topics: [topic], mode: 'latest' });
  const transport = kafka({ brokers, topic });
  const messages = Array.from({ length: 50 }, () => testMessage({ recordKey: 'Order/1' }));
  const outcomes = await transport.publish(messages, OPEN_CONTEXT);
  expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
  const wanted = new Set(messages.map(({ body }) => body));
  const found: string[] = [];
  for await (const record of stream) {
    if (wanted.has(record.value.toString())) found.push(record.value.toString());
    if (found.length === messages.length) break;
  }
  expect(found).toEqual(messages.map(({ body }) => body));
  await transport.close();
  consumer.close(true, () => undefined);
});
