import { createHash, timingSafeEqual } from 'node:crypto';

/** What `/metrics` serves. */
export interface MetricsPage {
  readonly contentType: string;
  readonly render: () => Promise<string>;
  /** Who asks has to show it as a bearer token. Empty: anybody may ask, which loopback alone makes safe. */
  readonly token: string;
}

export interface PageAnswer {
  readonly status: 200 | 401 | 405 | 500;
  readonly contentType: string;
  readonly text: string;
}

/** Whether a request is for the page: the path exactly as it was sent, with or without a query. */
export function asksForMetrics(target: string): boolean {
  return target.split('?', 1)[0] === '/metrics';
}

/** Answers a request for the page. A page that cannot be made is an answer too, and nothing else. */
export async function answerMetrics(
  method: string,
  authorization: string | undefined,
  page: MetricsPage,
): Promise<PageAnswer> {
  if (method !== 'GET' && method !== 'HEAD') return plain(405, 'method-not-allowed');
  if (page.token !== '' && !isSame(authorization ?? '', `Bearer ${page.token}`)) return plain(401, 'unauthorized');
  try {
    return { status: 200, contentType: page.contentType, text: await page.render() };
  } catch {
    // Whoever scrapes sees that it failed; the reason is of no use to them and might say too much.
    return plain(500, 'failed');
  }
}

function plain(status: PageAnswer['status'], word: string): PageAnswer {
  return { status, contentType: 'text/plain; charset=utf-8', text: `${word}\n` };
}

/** Compares digests of one length, so that the time says nothing about how much of a token is right. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
