/** Gives the trace that the caller is in, as headers; nothing outside of one. */
export type TraceContext = () => Readonly<Record<string, string>>;

// The W3C's two. Baggage stays behind: it may hold what no consumer should see.
const TRACE_HEADERS = ['traceparent', 'tracestate'] as const;

/** Adds the trace to a message's headers. A caller who gives a trace of its own has the last word on both headers. Pure. */
export function withTrace(
  headers: Readonly<Record<string, string>> | undefined,
  trace: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  const found = TRACE_HEADERS.flatMap((name) => {
    const value = trace[name];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  const given = Object.keys(headers ?? {}).some((name) => name.toLowerCase() === 'traceparent');
  return given || found.length === 0 ? headers : { ...Object.fromEntries(found), ...headers };
}
