import { testMessage } from '@waybill/testkit';
import { CloudEvent, Kafka } from 'cloudevents';
import { describe, expect, test } from 'vitest';
import { amqpEvent } from './amqp-binding.ts';
import { CLOUD_EVENTS_MODES } from './envelope.ts';
import { kafkaEvent } from './kafka-binding.ts';
import { natsEvent } from './nats-binding.ts';

/** The event of the examples in the bindings' specifications, with every attribute that a message can have. */
const MESSAGE = testMessage({
  id: '1234-1234-1234',
  type: 'com.example.someevent',
  version: 2,
  occurredAt: new Date('2018-04-05T03:56:24Z'),
  recordKey: 'Order/Euro € 😀',
  body: '{ "total": 10.00, "huge": 12345678901234567890 }',
  headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', other: 'x' },
});
const SOURCE = '/mycontext/subcontext';

const ATTRIBUTES = {
  specversion: '1.0',
  id: '1234-1234-1234',
  source: SOURCE,
  type: 'com.example.someevent',
  time: '2018-04-05T03:56:24.000Z',
  dataschema: 'urn:waybill:com.example.someevent:2',
  subject: 'Order/Euro € 😀',
  partitionkey: 'Order/Euro € 😀',
  traceparent: MESSAGE.headers['traceparent'],
};
const BINARY = { mode: 'binary', source: SOURCE } as const;
const STRUCTURED = { mode: 'structured', source: SOURCE } as const;
const EVENT_TYPE = 'application/cloudevents+json; charset=utf-8';

function prefixed(prefix: string, attributes: Readonly<Record<string, string | undefined>>) {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`${prefix}${name}`, value]));
}

describe('binary mode', () => {
  test('T02: Kafka has a ce_ header for each attribute, in UTF-8 as it is, and the media type of the data', () => {
    const { headers, value } = kafkaEvent(MESSAGE, BINARY);
    expect(headers).toEqual({ 'content-type': 'application/json', ...prefixed('ce_', ATTRIBUTES) });
    expect(value).toBe(MESSAGE.body);
  });

  test('T02: AMQP has a cloudEvents_ property for each attribute', () => {
    const { contentType, applicationProperties, body } = amqpEvent(MESSAGE, BINARY);
    expect(contentType).toBe('application/json');
    expect(applicationProperties).toEqual(prefixed('cloudEvents_', ATTRIBUTES));
    expect(body).toBe(MESSAGE.body);
  });

  test('T02: NATS has a percent-encoded ce- header for each attribute, the media type among them', () => {
    const { headers, payload } = natsEvent(MESSAGE, BINARY);
    const encoded = 'Order/Euro%20%E2%82%AC%20%F0%9F%98%80';
    const attributes = { ...ATTRIBUTES, subject: encoded, partitionkey: encoded };
    expect(headers).toEqual(prefixed('ce-', { ...attributes, datacontenttype: 'application/json' }));
    expect(payload).toBe(MESSAGE.body);
  });
});

test('T02: structured mode is the same JSON object over every binding, announced by its media type', () => {
  const { headers, value } = kafkaEvent(MESSAGE, STRUCTURED);
  expect(headers).toEqual({ 'content-type': EVENT_TYPE });
  expect(amqpEvent(MESSAGE, STRUCTURED)).toEqual({ contentType: EVENT_TYPE, applicationProperties: {}, body: value });
  expect(natsEvent(MESSAGE, STRUCTURED)).toEqual({ headers: { 'Content-Type': EVENT_TYPE }, payload: value });
  expect(value.endsWith(`,"data":${MESSAGE.body}}`)).toBe(true);
  const { data, ...attributes } = JSON.parse(value) as Record<string, unknown>;
  expect(attributes).toEqual({ ...ATTRIBUTES, datacontenttype: 'application/json' });
  expect(data).toEqual(JSON.parse(MESSAGE.body));
});

test.each(CLOUD_EVENTS_MODES)('T02: the cloudevents package reads %s mode from Kafka', (mode) => {
  const { headers, value } = kafkaEvent({ ...MESSAGE, body: '{"total":10}' }, { mode, source: SOURCE });
  const received = { headers, key: MESSAGE.recordKey, value, body: value, timestamp: undefined };
  const event = Kafka.toEvent(received);
  if (!(event instanceof CloudEvent)) throw new Error('expected one event');
  expect(event.validate()).toBe(true);
  expect(event).toMatchObject({ id: ATTRIBUTES.id, subject: ATTRIBUTES.subject, dataschema: ATTRIBUTES.dataschema });
  expect(typeof event.data === 'string' ? JSON.parse(event.data) : event.data).toEqual({ total: 10 });
});
