import { IDEMPOTENCY_CLASSES, type Idempotency } from '@waybill/contracts';
import { isInstant } from '../config/instant.ts';
import type { Route } from './route.ts';
import type { ScopedOut } from './scoped-out.ts';

// Node and PostgreSQL both refuse a longer one, each in its own way.
const MAX_LOCK_TIMEOUT_MS = 2 ** 31 - 1;

/** What is wrong with the options of a route. The gate goes by them, and a word that it does not know would look like leave. */
export function optionProblems(route: Route): readonly string[] {
  if (route.via === 'publish') return [];
  return [
    ...(route.via === 'call' ? idempotencyProblems(route.idempotency) : lockTimeoutProblems(route.lockTimeoutMs)),
    ...scopedOutProblems(route.scopedOut),
  ];
}

function idempotencyProblems(idempotency: Idempotency | null): readonly string[] {
  if (idempotency === null) return [];
  if (!IDEMPOTENCY_CLASSES.includes(idempotency.class))
    return [`idempotency.class: must be one of ${IDEMPOTENCY_CLASSES.join(', ')}`];
  const needsContract = idempotency.class === 'external' || idempotency.class === 'state-dependent';
  return needsContract && !isText(idempotency.contract)
    ? [`idempotency.contract: an effect of class ${idempotency.class} says what makes a repeat harmless`]
    : [];
}

function scopedOutProblems(scopedOut: ScopedOut | null): readonly string[] {
  if (scopedOut === null) return [];
  const { reason, by, until } = scopedOut;
  return [
    ...(isText(reason) ? [] : ['scopedOut.reason: say why']),
    ...(isText(by) ? [] : ['scopedOut.by: say who has decided']),
    ...(isInstant(until)
      ? []
      : [`scopedOut.until: expected a time with its offset, such as 2026-01-31T10:00:00Z, got ${String(until)}`]),
  ];
}

function lockTimeoutProblems(ms: number): readonly string[] {
  return Number.isInteger(ms) && ms >= 1 && ms <= MAX_LOCK_TIMEOUT_MS
    ? []
    : [`lockTimeoutMs: expected whole milliseconds from 1 to ${MAX_LOCK_TIMEOUT_MS}, got ${String(ms)}`];
}

/** The types ask for one; a configuration in JavaScript can leave it out. */
function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
