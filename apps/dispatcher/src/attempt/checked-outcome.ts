import { TRANSPORT_OUTCOMES, type TransportOutcome, type TransportOutcomeName } from '@waybill/contracts';
import { cleanErrorText } from '../retry/error-text.ts';

/** A class is a word for metrics; anything longer is no class. */
const MAX_CLASS_LENGTH = 64;

/** Reads what a transport or a handler gave as an outcome: they may be written in JavaScript, or against another version. Null when it is none. */
export function checkedOutcome(value: unknown): TransportOutcome | null {
  try {
    return typeof value === 'object' && value !== null ? outcomeOf(value) : null;
  } catch {
    // A getter or a proxy that throws: whatever it stands for, it is no outcome, and the attempt counts.
    return null;
  }
}

function outcomeOf(value: object): TransportOutcome | null {
  const given: ReadonlyMap<string, unknown> = new Map(Object.entries(value));
  const outcome = given.get('outcome');
  if (!isOutcomeName(outcome)) return null;
  const receipt = given.get('receipt');
  if (outcome === 'accepted')
    return {
      outcome,
      receipt: typeof receipt === 'string' ? receipt : null,
      duplicate: given.get('duplicate') === true,
    };
  const detail = given.get('detail');
  const afterMs = given.get('afterMs');
  return {
    outcome,
    class: classOf(given.get('class')),
    ...(typeof detail === 'string' ? { detail } : {}),
    ...(outcome === 'retry' && typeof afterMs === 'number' ? { afterMs } : {}),
  };
}

function isOutcomeName(value: unknown): value is TransportOutcomeName {
  return TRANSPORT_OUTCOMES.some((name) => name === value);
}

function classOf(value: unknown): string {
  return typeof value === 'string' && value !== '' ? cleanErrorText(value).slice(0, MAX_CLASS_LENGTH) : 'unclassified';
}
