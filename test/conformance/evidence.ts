import type { Ids } from './ids.ts';
import type { Tally } from './report.ts';

/** What a build can show for itself; the gate reads it for the items about code. */
export interface Evidence {
  readonly schema: 'waybill.evidence/v1';
  readonly build: string;
  /** When the tests ran, ISO 8601. */
  readonly date: string;
  readonly passed: number;
  readonly failed: number;
  /** Passing tests by id, zero included; an id with a failing test counts as zero. */
  readonly ids: Readonly<Record<string, number>>;
}

export function evidenceOf(ids: Ids, tally: Tally, build: string, date: Date): Evidence {
  const count = (id: string): number => (tally.failing.has(id) ? 0 : (tally.passing.get(id) ?? 0));
  return {
    schema: 'waybill.evidence/v1',
    build,
    date: date.toISOString(),
    passed: tally.passed,
    failed: tally.failed,
    ids: Object.fromEntries(Object.keys(ids).map((id) => [id, count(id)])),
  };
}
