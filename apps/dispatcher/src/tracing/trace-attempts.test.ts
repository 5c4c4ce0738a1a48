import { context, SpanKind, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { memory } from '@waybill/transports/memory';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Outbox, startLoop } from '../../test/loop.ts';
import { MoveParcel, WeighParcel } from '../../test/parcels.ts';
import { call } from '../routes/call.ts';
import { publish } from '../routes/publish.ts';
import { linkedContext } from './linked-context.ts';
import { traceAttempts } from './trace-attempts.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const headers = { TraceParent: `00-${TRACE_ID}-b7ad6b7169203331-01`, tracestate: 'a=b', via: 'scanner' };

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => {
  context.disable();
});

test('O06: an attempt is a span, linked to the enqueue and active meanwhile; the target gets the headers unchanged', async () => {
  const outbox = await Outbox.forTest();
  const target = memory({ name: 'moves' });
  const active: (string | undefined)[] = [];
  const moved = publish(MoveParcel, { to: target });
  const weigh = call(WeighParcel, () => {
    active.push(trace.getActiveSpan()?.spanContext().spanId);
    return { outcome: 'refused', class: 'too-heavy' };
  });
  startLoop(outbox, { routes: { moved, weigh }, trace: traceAttempts([moved, weigh], provider.getTracer('test')) });
  const id = await outbox.enqueue(MoveParcel, { parcel: 'a', step: 1, depot: 'd' }, { headers });
  await outbox.enqueue(WeighParcel, { parcel: 'b', grams: 1 });
  await outbox.until((rows) => rows.every(({ state }) => state === 'dispatched' || state === 'dead-letter'));
  await expect.poll(() => exporter.getFinishedSpans()).toHaveLength(2);
  const spans = exporter.getFinishedSpans();
  const send = spans.find(({ name }) => name === 'send moves');
  const process = spans.find(({ name }) => name === 'process parcels.weigh');
  expect(send).toMatchObject({
    kind: SpanKind.CLIENT,
    links: [{ context: { traceId: TRACE_ID, spanId: 'b7ad6b7169203331', traceFlags: 1 } }],
    attributes: {
      'messaging.operation.name': 'send',
      'messaging.destination.name': 'moves',
      'messaging.message.id': id,
      'waybill.message.attempt': 1,
      'waybill.result': 'accepted',
    },
    status: { code: 0 },
  });
  expect(process).toMatchObject({
    kind: SpanKind.CONSUMER,
    links: [],
    attributes: { 'error.type': 'too-heavy', 'waybill.result': 'refused' },
    status: { code: 2, message: 'too-heavy' },
  });
  expect(active).toEqual([process?.spanContext().spanId]);
  expect(target.accepted.map((message) => message.headers)).toEqual([headers]);
});

test.each([
  {},
  { traceparent: '' },
  { traceparent: 'nonsense' },
  { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` },
])('O06: headers %j name no trace', (given) => {
  expect(linkedContext(given)).toBeNull();
});
