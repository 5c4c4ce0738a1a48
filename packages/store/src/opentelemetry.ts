import { trace as api, context } from '@opentelemetry/api';

/**
 * The trace of the active span, for `outbox({ traceContext })`: what is enqueued within a request is linked to that request when it is delivered.
 * Gives nothing outside of a span, or without an OpenTelemetry SDK.
 */
export function traceContext(): Readonly<Record<string, string>> {
  const span = api.getSpanContext(context.active());
  if (span === undefined || !/[^0]/.test(span.traceId)) return {};
  const flags = span.traceFlags.toString(16).padStart(2, '0');
  const state = span.traceState?.serialize() ?? '';
  return {
    traceparent: `00-${span.traceId}-${span.spanId}-${flags}`,
    ...(state === '' ? {} : { tracestate: state }),
  };
}
