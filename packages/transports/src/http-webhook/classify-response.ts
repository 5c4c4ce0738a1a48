import type { TransportOutcome } from '@waybill/contracts';
import { parseRetryAfter } from './retry-after.ts';

/** The part of an answer that decides. The body does not: it may repeat what nobody should log. */
export interface Answer {
  readonly statusCode: number;
  readonly retryAfter: string | undefined;
}

// The receiver, or something before it, says "not now" and not "no".
const RETRY_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * What an HTTP answer means for the message.
 *
 * @param retryStatuses further statuses that mean "not now" at this receiver.
 * @param nowMs milliseconds since 1970, for a `Retry-After` date.
 */
export function classifyAnswer(answer: Answer, retryStatuses: ReadonlySet<number>, nowMs: number): TransportOutcome {
  const { statusCode } = answer;
  const http = `http-${statusCode}`;
  if (statusCode >= 200 && statusCode <= 299) return { outcome: 'accepted', receipt: null, duplicate: false };
  if ((statusCode >= 500 && statusCode <= 599) || RETRY_STATUSES.has(statusCode) || retryStatuses.has(statusCode)) {
    const afterMs = parseRetryAfter(answer.retryAfter, nowMs);
    return { outcome: 'retry', class: http, ...(afterMs === undefined ? {} : { afterMs }) };
  }
  // Following one would hand the signed message to somebody whom nobody configured.
  if (statusCode >= 300 && statusCode <= 399) return { outcome: 'refused', class: 'redirect', detail: http };
  if (statusCode === 410) return { outcome: 'refused', class: 'gone', detail: http };
  return { outcome: 'refused', class: http };
}
