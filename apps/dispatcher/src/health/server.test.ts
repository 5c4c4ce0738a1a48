import { expect, test } from 'vitest';
import { SETTINGS } from '../config/settings.ts';
import { HealthServerError, startHealthServer } from './server.ts';
import type { HealthFacts } from './verdict.ts';

const HEALTHY: HealthFacts = { loopAgeMs: 0, storeAgeMs: 0, schema: 'ready', registered: true, draining: false };
const OPTIONS = {
  host: '127.0.0.1',
  port: 0,
  limits: { stalledAfterMs: 60_000, staleAfterMs: 30_000 },
  facts: (): HealthFacts => HEALTHY,
  metrics: { contentType: 'text/plain; version=0.0.4', render: () => Promise.resolve('up 1\n'), token: '' },
};

test('W24: answers over HTTP on a free port, uncached, without a word about versions', async () => {
  const server = await startHealthServer(OPTIONS);
  try {
    const response = await fetch(`${server.url}/readyz`);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('server')).toBeNull();
    expect(response.headers.get('x-powered-by')).toBeNull();
    expect(await response.json()).toEqual({ status: 'ok', problems: [] });

    const head = await fetch(`${server.url}/livez`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);

    const post = await fetch(`${server.url}/livez`, { method: 'POST', body: 'x' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  } finally {
    await server.close();
  }
});

test('W24: the facts are asked for at each request', async () => {
  let facts = HEALTHY;
  const server = await startHealthServer({ ...OPTIONS, facts: () => facts });
  try {
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    facts = { ...HEALTHY, storeAgeMs: undefined };
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  } finally {
    await server.close();
  }
});

test('W24: an address that is taken is an error with a code, and closing waits for no kept-alive connection', async () => {
  const server = await startHealthServer(OPTIONS);
  await fetch(`${server.url}/livez`);
  const port = Number(new URL(server.url).port);
  const error: unknown = await startHealthServer({ ...OPTIONS, port }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(HealthServerError);
  expect(error).toMatchObject({ code: 'DSP_HEALTH_ADDRESS', cause: { code: 'EADDRINUSE' } });
  await server.close();
});

test('W21 W24: /metrics is text, needs its token where one is set, and its failure is its own', async () => {
  const token = 'a-token-of-sixteen';
  let page = 'up 1\n';
  const render = (): Promise<string> =>
    page === '' ? Promise.reject(new Error('secret reason')) : Promise.resolve(page);
  const server = await startHealthServer({ ...OPTIONS, metrics: { ...OPTIONS.metrics, render, token } });
  const scrape = (path: string, authorization?: string, method = 'GET'): Promise<Response> =>
    fetch(`${server.url}${path}`, { method, headers: authorization === undefined ? {} : { authorization } });
  try {
    const response = await scrape('/metrics', `Bearer ${token}`);
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'text/plain; version=0.0.4',
      'up 1\n',
    ]);
    for (const wrong of [
      undefined,
      token,
      `bearer ${token}`,
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      'Bearer ',
    ]) {
      const refused = await scrape('/metrics', wrong);
      expect([refused.status, refused.headers.get('www-authenticate'), await refused.text()]).toEqual([
        401,
        'Bearer',
        'unauthorized\n',
      ]);
    }
    expect((await scrape('/metrics', `Bearer ${token}`, 'POST')).status).toBe(405);
    for (const path of ['/metrics/', '/x/../metrics/x', '/%6detrics', '//metrics'])
      expect((await scrape(path, `Bearer ${token}`)).status).toBe(404);
    // The probes of an orchestrator have no token.
    expect((await scrape('/livez')).status).toBe(200);
    page = '';
    const failed = await scrape('/metrics', `Bearer ${token}`);
    expect([failed.status, await failed.text()]).toEqual([500, 'failed\n']);
    expect((await scrape('/readyz')).status).toBe(200);
  } finally {
    await server.close();
  }
});

test('W21: without a token /metrics is open, like the probes', async () => {
  const server = await startHealthServer(OPTIONS);
  try {
    expect((await fetch(`${server.url}/metrics?x=1`)).status).toBe(200);
  } finally {
    await server.close();
  }
});

test('F085: nothing can be changed over HTTP, nothing is shown but facts of our own, and only this machine is listened to by default', async () => {
  expect(SETTINGS['health.host'].default).toBe('127.0.0.1');
  const server = await startHealthServer(OPTIONS);
  const { host } = new URL(server.url);
  try {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      for (const path of ['/livez', '/readyz', '/metrics'])
        expect((await fetch(`${server.url}${path}`, { method })).status, `${method} ${path}`).toBe(405);
    for (const path of ['/', '/dead', '/replay?id=1;drop', '/livez/../replay', '/readyz%2f..', `/${'x'.repeat(8_000)}`])
      expect((await fetch(`${server.url}${path}`)).status, path.slice(0, 30)).toBe(404);
    // What a page of a browser may make it say is not a page.
    const odd = await fetch(`${server.url}/readyz?<script>alert(1)</script>`, {
      headers: { origin: 'https://evil.example', host },
    });
    expect([
      odd.status,
      odd.headers.get('access-control-allow-origin'),
      odd.headers.get('x-content-type-options'),
    ]).toEqual([200, null, 'nosniff']);
    expect(odd.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await odd.text()).not.toContain('script');
  } finally {
    await server.close();
  }
});
