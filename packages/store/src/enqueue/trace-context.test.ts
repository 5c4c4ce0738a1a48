import { randomUUID } from 'node:crypto';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { ParcelMoved } from '../../test/messages.ts';
import { openRoom } from '../../test/room.ts';
import { outbox } from '../drivers/pg.ts';
import { traceContext } from '../opentelemetry.ts';
import { withTrace } from './trace-context.ts';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const room = await openRoom();
const client = new pg.Client({ connectionString: room.url });
const tracer = new BasicTracerProvider().getTracer('test');
const { enqueue } = outbox({ traceContext });

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  await client.connect();
});
afterEach(() => room.clear());
afterAll(async () => {
  context.disable();
  await client.end();
  await room[Symbol.asyncDispose]();
});

const headers = async (): Promise<unknown> => (await room.query('select headers from waybill.record'))[0]?.['headers'];

test('O06: the trace of the enqueue is kept in the headers, beside those of the caller', async () => {
  const span = tracer.startSpan('request');
  await client.query('begin');
  await context.with(trace.setSpan(context.active(), span), () =>
    enqueue(client, ParcelMoved, { id: 'a', step: 1 }, { headers: { via: 'scanner' } }),
  );
  await client.query('commit');
  const { traceId, spanId } = span.spanContext();
  expect(await headers()).toEqual({ traceparent: `00-${traceId}-${spanId}-01`, via: 'scanner' });
});

test('O06: outside of a span nothing is added, and nothing is asked of OpenTelemetry by the standard enqueue', async () => {
  await client.query('begin');
  await enqueue(client, ParcelMoved, { id: 'a', step: 1 });
  await context.with(trace.setSpan(context.active(), tracer.startSpan('request')), () =>
    outbox().enqueue(client, ParcelMoved, { id: 'a', step: 2 }),
  );
  await client.query('commit');
  expect(await room.query('select count(headers)::integer as headers from waybill.message')).toEqual([{ headers: 0 }]);
});

test('O06 S01: the same message enqueued again in another trace is a repeat, and keeps its first trace', async () => {
  const id = randomUUID();
  const written = [];
  for (const name of ['first try', 'second try']) {
    await client.query('begin');
    written.push(
      await context.with(trace.setSpan(context.active(), tracer.startSpan(name)), () =>
        enqueue(client, ParcelMoved, { id: 'a', step: 1 }, { id, headers: { via: 'scanner' } }),
      ),
    );
    await client.query('commit');
  }
  await client.query('begin');
  written.push(await enqueue(client, ParcelMoved, { id: 'a', step: 1 }, { id, headers: { via: 'scanner' } }));
  await client.query('commit');
  expect(written.map(({ created }) => created)).toEqual([true, false, false]);
  expect(await room.query('select count(*)::integer as messages from waybill.message')).toEqual([{ messages: 1 }]);
});

test.each([
  ['no trace', { a: '1' }, {}, { a: '1' }],
  ['no trace and no headers', undefined, {}, undefined],
  ['a trace', undefined, { traceparent: PARENT }, { traceparent: PARENT }],
  ['an empty state', undefined, { traceparent: PARENT, tracestate: '' }, { traceparent: PARENT }],
  ['anything else that a propagator knows', undefined, { baggage: 'user=7', b3: '1' }, undefined],
  ["a caller's own trace", { TraceParent: 'x' }, { traceparent: PARENT, tracestate: 'a=b' }, { TraceParent: 'x' }],
])('O06: headers with %s', (_what, given, found, expected) => {
  expect(withTrace(given, found)).toEqual(expected);
});
