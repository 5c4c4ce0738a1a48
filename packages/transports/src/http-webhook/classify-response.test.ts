import { describe, expect, test } from 'vitest';
import { classifyAnswer } from './classify-response.ts';

function classify(statusCode: number, retryAfter?: string) {
  return classifyAnswer({ statusCode, retryAfter }, new Set([404]), 0);
}

describe('classifyAnswer', () => {
  test.each([200, 201, 202, 204, 299])('T03, W18: %d is accepted', (status) => {
    expect(classify(status)).toEqual({ outcome: 'accepted', receipt: null, duplicate: false });
  });

  test.each([408, 425, 429, 500, 502, 503, 504, 599])('T03: %d is a retry', (status) => {
    expect(classify(status)).toEqual({ outcome: 'retry', class: `http-${status}` });
  });

  test.each([429, 503])('W19, T03: %d passes Retry-After on', (status) => {
    expect(classify(status, '7')).toEqual({ outcome: 'retry', class: `http-${status}`, afterMs: 7_000 });
  });

  test.each([300, 301, 302, 303, 304, 307, 308])('T03: %d is refused as a redirect', (status) => {
    expect(classify(status, '7')).toEqual({ outcome: 'refused', class: 'redirect', detail: `http-${status}` });
  });

  test('T03: 410 is refused as gone', () => {
    expect(classify(410)).toEqual({ outcome: 'refused', class: 'gone', detail: 'http-410' });
  });

  test.each([400, 401, 403, 405, 409, 413, 422, 451, 499, 600, 999])('T03: %d is refused', (status) => {
    expect(classify(status)).toEqual({ outcome: 'refused', class: `http-${status}` });
  });

  test('T03: a status that the receiver uses for "not now" is a retry', () => {
    expect(classify(404)).toEqual({ outcome: 'retry', class: 'http-404' });
  });
});
