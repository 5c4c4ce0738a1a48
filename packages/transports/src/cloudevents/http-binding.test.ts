import { testMessage } from '@waybill/testkit';
import { CloudEvent, HTTP } from 'cloudevents';
import { describe, expect, test } from 'vitest';
import { CLOUD_EVENTS_MODES } from './envelope.ts';
import { httpEvent } from './http-binding.ts';

const MESSAGE = testMessage({
  id: '018f3c1e-0000-7000-8000-000000000001',
  type: 'acme.order-placed',
  version: 2,
  recordKey: 'Order/1',
  body: '{ "total": 10.00, "huge": 12345678901234567890 }',
  headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=b', other: 'x' },
});
const SOURCE = { source: '/acme/orders' };

const ATTRIBUTES = {
  specversion: '1.0',
  id: MESSAGE.id,
  source: '/acme/orders',
  type: 'acme.order-placed',
  time: '2026-01-02T03:04:05.678Z',
  dataschema: 'urn:waybill:acme.order-placed:2',
  subject: 'Order/1',
  partitionkey: 'Order/1',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'a=b',
};

describe('httpEvent', () => {
  test('T02: binary mode puts each attribute into a ce- header and leaves the body as it is', () => {
    const event = httpEvent(MESSAGE, { mode: 'binary', ...SOURCE });
    expect(event.contentType).toBe('application/json');
    expect(event.body).toBe(MESSAGE.body);
    expect(event.headers).toEqual(
      Object.fromEntries(Object.entries(ATTRIBUTES).map(([name, value]) => [`ce-${name}`, value])),
    );
  });

  test('T02: structured mode is one JSON object whose data is the stored text', () => {
    const event = httpEvent(MESSAGE, { mode: 'structured', ...SOURCE });
    expect(event.contentType).toBe('application/cloudevents+json; charset=utf-8');
    expect(event.headers).toEqual({});
    expect(event.body.endsWith(`,"data":${MESSAGE.body}}`)).toBe(true);
    expect(JSON.parse(event.body)).toEqual({
      ...ATTRIBUTES,
      datacontenttype: 'application/json',
      data: JSON.parse(MESSAGE.body),
    });
  });

  // The example of section 3.1.3.2 of the HTTP protocol binding, and what it says of the quotation mark and the per cent sign.
  test.each([
    ['Euro € 😀', 'Euro%20%E2%82%AC%20%F0%9F%98%80'],
    ['say "hi"', 'say%20%22hi%22'],
    ['100%', '100%25'],
    ["a!#$&'()*+,-./:;<=>?@[\\]^_`{|}~", "a!#$&'()*+,-./:;<=>?@[\\]^_`{|}~"],
    ['\u0000\u007f', '%00%7F'],
  ])('T02: the header value of %j is %s', (recordKey, encoded) => {
    const event = httpEvent(testMessage({ recordKey }), { mode: 'binary', ...SOURCE });
    expect(event.headers['ce-subject']).toBe(encoded);
  });

  test('T02: what a message does not have is left out', () => {
    const { headers } = httpEvent(testMessage(), { mode: 'binary', ...SOURCE });
    expect(Object.keys(headers).sort()).toEqual([
      'ce-dataschema',
      'ce-id',
      'ce-source',
      'ce-specversion',
      'ce-time',
      'ce-type',
    ]);
  });

  test('T02: the schema’s URI can be the operator’s', () => {
    const dataSchema = (type: string, version: number) => `https://schemas.example/${type}/${version}.json`;
    expect(httpEvent(MESSAGE, { mode: 'binary', ...SOURCE, dataSchema }).headers['ce-dataschema']).toBe(
      'https://schemas.example/acme.order-placed/2.json',
    );
  });

  test.each(CLOUD_EVENTS_MODES)('T02: the cloudevents package reads %s mode', (mode) => {
    const sent = httpEvent({ ...MESSAGE, body: '{"total":10}' }, { mode, ...SOURCE });
    const event = HTTP.toEvent({ headers: { ...sent.headers, 'content-type': sent.contentType }, body: sent.body });
    if (!(event instanceof CloudEvent)) throw new Error('expected one event');
    expect(event.validate()).toBe(true);
    expect(event).toMatchObject({ ...ATTRIBUTES, data: { total: 10 } });
  });
});
