import { createTraceState, isSpanContextValid, type SpanContext } from '@opentelemetry/api';

const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-|$)/;

/** The trace that a message was enqueued in, from the W3C headers; null without one, or when they say nothing that can be understood. */
export function linkedContext(headers: Readonly<Record<string, string>>): SpanContext | null {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(valueOf(headers, 'traceparent')) ?? [];
  const state = valueOf(headers, 'tracestate');
  const found: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(state === '' ? {} : { traceState: createTraceState(state) }),
  };
  return isSpanContextValid(found) ? found : null;
}

/** Names of headers are compared without regard to case, as HTTP has it. */
function valueOf(headers: Readonly<Record<string, string>>, name: string): string {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? '';
}
