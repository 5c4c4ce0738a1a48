import { DELIVERY_GUARANTEES, type DeliveryGuarantee, SPECIFICATION_STATUSES } from '../vocabulary.ts';

interface Promised {
  /** `at-least-once`, or `best-effort`, which an outbox refuses. */
  readonly guarantee: DeliveryGuarantee;
  /** Where responsibility ends: what "accepted" means at the target. */
  readonly boundary: string;
  /** What a consumer does with a message that it gets twice. */
  readonly duplicates: string;
  /** For how long delivery is tried, and what happens then. */
  readonly retryHorizon: string;
  /** Who repairs a delivery that failed for good. */
  readonly recoveryOwner: string;
  /** Who owns the records and may replay or discard them. */
  readonly recordOwner: string;
}

/** The durable-delivery specification of a message type. `decideBy` is a calendar date, `YYYY-MM-DD`. */
export type DeliverySpecification =
  | (Promised & { readonly status: 'accepted' })
  | (Promised & { readonly status: 'draft'; readonly decider: string; readonly decideBy: string });

const PROSE_KEYS = ['boundary', 'duplicates', 'retryHorizon', 'recoveryOwner', 'recordOwner'] as const;

/** Every problem of a specification, each a sentence that starts with the key it is about. */
export function deliveryProblems(specification: unknown): readonly string[] {
  if (typeof specification !== 'object' || specification === null)
    return ['delivery: a delivery specification is required'];
  const given: ReadonlyMap<string, unknown> = new Map(Object.entries(specification));
  const problems = PROSE_KEYS.filter((key) => !isText(given.get(key))).map(
    (key) => `delivery.${key}: say it in words; it must not be empty`,
  );
  if (!isOneOf(DELIVERY_GUARANTEES, given.get('guarantee')))
    problems.push(`delivery.guarantee: must be one of ${DELIVERY_GUARANTEES.join(', ')}`);
  if (!isOneOf(SPECIFICATION_STATUSES, given.get('status')))
    problems.push(`delivery.status: must be one of ${SPECIFICATION_STATUSES.join(', ')}`);
  if (given.get('status') === 'draft') {
    if (!isText(given.get('decider'))) problems.push('delivery.decider: a draft names who decides');
    if (!isCalendarDate(given.get('decideBy')))
      problems.push('delivery.decideBy: a draft names the date of the decision as YYYY-MM-DD');
  }
  return problems;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isOneOf<T>(set: readonly T[], value: unknown): boolean {
  return set.some((member) => member === value);
}

function isCalendarDate(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const midnight = new Date(`${value}T00:00:00Z`);
  // The round trip refuses dates like 2025-02-30, which Date would otherwise shift into March.
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(value);
}
