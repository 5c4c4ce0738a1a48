import { type HealthFacts, type HealthLimits, liveness, readiness, type Verdict } from './verdict.ts';

export interface Answer {
  readonly status: 200 | 404 | 405 | 503;
  readonly body: Verdict | { readonly status: 'not-found' | 'method-not-allowed' };
}

const PROBES: ReadonlyMap<string, (facts: HealthFacts, limits: HealthLimits) => Verdict> = new Map([
  ['/livez', liveness],
  ['/readyz', readiness],
]);

/**
 * Answers one request. The path is compared as it was sent, not decoded and not normalised, so nothing that merely
 * resembles a probe is taken for one. A query is allowed: probes of load balancers like to add one.
 */
export function answer(method: string, target: string, facts: HealthFacts, limits: HealthLimits): Answer {
  const probe = PROBES.get(target.split('?', 1)[0] ?? '');
  if (probe === undefined) return { status: 404, body: { status: 'not-found' } };
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: { status: 'method-not-allowed' } };
  const verdict = probe(facts, limits);
  return { status: verdict.status === 'ok' ? 200 : 503, body: verdict };
}
