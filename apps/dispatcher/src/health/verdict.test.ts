import { describe, expect, test } from 'vitest';
import { answer } from './answer.ts';
import { type HealthFacts, liveness, readiness } from './verdict.ts';

const LIMITS = { stalledAfterMs: 60_000, staleAfterMs: 30_000 };
const HEALTHY: HealthFacts = { loopAgeMs: 5, storeAgeMs: 5, schema: 'ready', registered: true, draining: false };

describe('liveness', () => {
  test.each<[Partial<HealthFacts>, readonly string[]]>([
    [{}, []],
    [{ loopAgeMs: 60_000 }, []],
    [{ loopAgeMs: 60_001 }, ['loop-stalled']],
    [{ draining: true }, []],
  ])('W24: %j', (facts, problems) => {
    expect(liveness({ ...HEALTHY, ...facts }, LIMITS).problems).toEqual(problems);
  });

  test('W21: an outage of the store is no reason to restart a process', () => {
    const outage: HealthFacts = { ...HEALTHY, storeAgeMs: undefined, schema: 'unknown', registered: false };
    expect(liveness(outage, LIMITS).status).toBe('ok');
    expect(readiness(outage, LIMITS)).toEqual({ status: 'failing', problems: ['store-unavailable'] });
  });
});

describe('readiness', () => {
  test.each<[Partial<HealthFacts>, readonly string[]]>([
    [{}, []],
    [{ storeAgeMs: 30_000 }, []],
    [{ storeAgeMs: 30_001 }, ['store-unavailable']],
    [{ storeAgeMs: undefined }, ['store-unavailable']],
    [{ schema: 'unknown' }, ['store-unavailable']],
    [{ schema: 'absent', registered: false }, ['schema-absent', 'not-registered']],
    [{ schema: 'behind' }, ['schema-behind']],
    [{ schema: 'ahead' }, ['schema-ahead']],
    [{ registered: false }, ['not-registered']],
    [{ draining: true, storeAgeMs: undefined }, ['draining']],
    [{ loopAgeMs: 1e9 }, []],
  ])('W24: %j', (facts, problems) => {
    const verdict = readiness({ ...HEALTHY, ...facts }, LIMITS);
    expect(verdict.problems).toEqual(problems);
    expect(verdict.status).toBe(problems.length === 0 ? 'ok' : 'failing');
  });
});

describe('answer', () => {
  test.each([
    ['GET', '/livez', 200],
    ['HEAD', '/readyz', 200],
    ['GET', '/readyz?verbose', 200],
    ['POST', '/livez', 405],
    ['DELETE', '/readyz', 405],
    ['GET', '/', 404],
    ['GET', '/livez/', 404],
    ['GET', '/livez/../v1', 404],
    ['GET', '/x/livez', 404],
    ['GET', '/livez%2f..', 404],
    ['GET', '//livez', 404],
    ['GET', '/LIVEZ', 404],
    ['GET', 'http://other/livez', 404],
    ['POST', '/v1', 404],
    ['GET', '', 404],
  ])('W24: %s %s is answered with %i', (method, target, status) => {
    expect(answer(method, target, HEALTHY, LIMITS).status).toBe(status);
  });

  test('W24: a failing probe is a 503 that says why', () => {
    expect(answer('GET', '/readyz', { ...HEALTHY, draining: true }, LIMITS)).toEqual({
      status: 503,
      body: { status: 'failing', problems: ['draining'] },
    });
  });
});
