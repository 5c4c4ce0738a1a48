/** What the dispatcher knows about itself. Ages are by the process's monotonic clock. */
export interface HealthFacts {
  /** Since the main loop last went round, whatever the round found; a bounded wait for an unavailable store is a round too. */
  readonly loopAgeMs: number;
  /** Since the store last answered; undefined before the first answer. */
  readonly storeAgeMs: number | undefined;
  readonly schema: 'ready' | 'behind' | 'ahead' | 'absent' | 'unknown';
  readonly registered: boolean;
  readonly draining: boolean;
}

export interface HealthLimits {
  readonly stalledAfterMs: number;
  readonly staleAfterMs: number;
}

export const PROBLEMS = [
  'loop-stalled',
  'store-unavailable',
  'schema-behind',
  'schema-ahead',
  'schema-absent',
  'not-registered',
  'draining',
] as const;
export type HealthProblem = (typeof PROBLEMS)[number];

export interface Verdict {
  readonly status: 'ok' | 'failing';
  readonly problems: readonly HealthProblem[];
}

/** Should this process be restarted? Never because of the store: its outage would restart every dispatcher, and help none. */
export function liveness(facts: HealthFacts, limits: HealthLimits): Verdict {
  return verdict(facts.loopAgeMs > limits.stalledAfterMs ? ['loop-stalled'] : []);
}

/** Does this process take work now? */
export function readiness(facts: HealthFacts, limits: HealthLimits): Verdict {
  if (facts.draining) return verdict(['draining']);
  const { storeAgeMs } = facts;
  // Without the store nothing else is known, so nothing else is reported.
  if (storeAgeMs === undefined || storeAgeMs > limits.staleAfterMs) return verdict(['store-unavailable']);
  const schema = SCHEMA_PROBLEMS[facts.schema];
  return verdict([
    ...(schema === undefined ? [] : [schema]),
    ...(facts.registered ? [] : (['not-registered'] as const)),
  ]);
}

const SCHEMA_PROBLEMS: Readonly<Record<HealthFacts['schema'], HealthProblem | undefined>> = {
  ready: undefined,
  behind: 'schema-behind',
  ahead: 'schema-ahead',
  absent: 'schema-absent',
  unknown: 'store-unavailable',
};

function verdict(problems: readonly HealthProblem[]): Verdict {
  return { status: problems.length === 0 ? 'ok' : 'failing', problems };
}
