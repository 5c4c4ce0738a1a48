import { expect, test } from 'vitest';
import { HealthServerError, startHealthServer } from './server.ts';
import type { HealthFacts } from './verdict.ts';

const HEALTHY: HealthFacts = { loopAgeMs: 0, storeAgeMs: 0, schema: 'ready', registered: true, draining: false };
const OPTIONS = {
  host: '127.0.0.1',
  port: 0,
  limits: { stalledAfterMs: 60_000, staleAfterMs: 30_000 },
  facts: (): HealthFacts => HEALTHY,
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
