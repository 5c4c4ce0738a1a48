import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  type Link,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { TypedRecord } from '@waybill/store';
import type { AttemptEnd } from '../attempt/end.ts';
import type { AttemptOutcome } from '../attempt/outcome.ts';
import { destinationOf } from '../flow/destination.ts';
import { type TraceAttempt, untraced } from '../loop/observer.ts';
import type { Route } from '../routes/route.ts';
import { linkedContext } from './linked-context.ts';

/**
 * A span for each attempt, `send` to a target or `process` in a function here, linked to the trace that the message was enqueued in. It is the
 * active span meanwhile, so what a transport or a handler calls belongs to it. The headers that a target gets stay those of the enqueue.
 */
export function traceAttempts(
  routes: readonly Route[],
  tracer: Tracer = trace.getTracer('@waybill/dispatcher'),
): TraceAttempt {
  if (!isTracing(tracer)) return untraced;
  const byType = new Map(routes.map((route) => [route.message.type, route]));
  return async (record, attempt) => {
    const route = byType.get(record.type);
    if (route === undefined) return attempt();
    const span = startSpan(tracer, route, record);
    const active: Context = trace.setSpan(context.active(), span);
    try {
      const end = await context.with(active, attempt);
      note(span, end);
      return end;
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  };
}

/** Whether an SDK was loaded: without one every span is the same invalid one. What is not ended is not exported. */
function isTracing(tracer: Tracer): boolean {
  return isSpanContextValid(tracer.startSpan('waybill start', { root: true }).spanContext());
}

function startSpan(tracer: Tracer, route: Route, record: TypedRecord): Span {
  const operation = route.via === 'publish' ? 'send' : 'process';
  const destination = destinationOf(route);
  const enqueued = linkedContext(record.headers);
  const links: Link[] = enqueued === null ? [] : [{ context: enqueued }];
  const attributes: Attributes = {
    'messaging.system': 'waybill',
    'messaging.operation.name': operation,
    'messaging.operation.type': operation,
    'messaging.destination.name': destination,
    'messaging.message.id': record.id,
    'waybill.message.type': record.type,
    'waybill.message.version': record.version,
    'waybill.message.attempt': record.attempt + 1,
  };
  // A root of its own: hours may lie between the enqueue and a retry.
  const options = { kind: operation === 'send' ? SpanKind.CLIENT : SpanKind.CONSUMER, attributes, links, root: true };
  return tracer.startSpan(`${operation} ${destination}`, options);
}

function note(span: Span, { outcome }: AttemptEnd): void {
  span.setAttribute('waybill.result', outcome.outcome);
  if (outcome.outcome === 'accepted') return;
  const type = errorType(outcome);
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR, message: type });
}

/** The class that a target gave; it is short and holds no payload. */
function errorType(outcome: Exclude<AttemptOutcome, { outcome: 'accepted' }>): string {
  return 'class' in outcome ? outcome.class : outcome.outcome;
}
